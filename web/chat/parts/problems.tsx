import type { JSX } from 'preact';

/** Lists the problems of a draft. */
export function Problems({ problems }: { problems: string[] }): JSX.Element | null {
  if (problems.length === 0) return null;
  return (
    <div role="alert">
      {problems.map((problem) => (
        <p key={problem} class="problem">
          {problem}
        </p>
      ))}
    </div>
  );
}
