export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type CompletedShell = (typeof SHELLS)[number];

/**
 * The script of each shell. It hands the line up to the cursor to `paddock complete`, which prints a candidate on each
 * line. Where it prints none, the shell completes file names.
 */
export const SCRIPTS: Record<CompletedShell, string> = {
  bash: `# Completion of paddock for bash: source this file, or put it into ~/.local/share/bash-completion/completions/paddock
_paddock() {
  local line=\${COMP_LINE:0:COMP_POINT} candidate
  local word=\${line##* }
  # bash begins a new word after a colon, so a candidate must not repeat what is before it.
  local before=\${word%"\${word##*:}"}
  COMPREPLY=()
  while IFS= read -r candidate; do
    [[ $candidate == "$word"* ]] && COMPREPLY+=("\${candidate#"$before"}")
  done < <(paddock complete -- "$line" 2>/dev/null)
}
complete -o default -F _paddock paddock
`,
  zsh: `#compdef paddock
# Completion of paddock for zsh: put this file into a folder of $fpath as _paddock
_paddock() {
  local -a candidates
  candidates=("\${(@f)$(paddock complete -- "\${(j: :)words[1,CURRENT]}" 2>/dev/null)}")
  candidates=(\${candidates:#})
  if (( \${#candidates} )); then compadd -- $candidates; else _files; fi
}
if [ "$funcstack[1]" = "_paddock" ]; then _paddock; else compdef _paddock paddock; fi
`,
  fish: `# Completion of paddock for fish: put this file into ~/.config/fish/completions/paddock.fish
complete -c paddock -a '(paddock complete -- (commandline -cp) 2>/dev/null)'
`,
};
