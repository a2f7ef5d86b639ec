import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { t } from '../messages/language.ts';
import { EditIcon, PlusIcon, TrashIcon } from '../parts/icons.tsx';
import { onEscape } from '../parts/on-escape.ts';
import { Dialog, IconButton } from '../parts/parts.tsx';
import { useActions } from '../state/use-actions.ts';
import { usePick } from '../state/use-select.ts';
import { cleanName, listPrompts, type Prompts, promptProblem, type SavedPrompt } from './prompts.ts';

interface PromptsDialogProps {
  open: boolean;
  onClose: () => void;
}

/** A prompt that is being written. `id` is null for a new one. */
interface Form {
  id: string | null;
  name: string;
  text: string;
}

/** Lists the prompts. Each can be edited and deleted; a deleted prompt can be restored while the dialog is open. */
export function PromptsDialog({ open, onClose }: PromptsDialogProps): JSX.Element {
  const { prompts } = usePick('prompts');
  // The form is kept here, so that its text is still there if the dialog was closed by mistake.
  const [form, setForm] = useState<Form | null>(null);
  return (
    <Dialog title={t('prompts.title')} open={open} onClose={onClose}>
      <PromptList prompts={prompts} form={form} onForm={setForm} />
    </Dialog>
  );
}

interface PromptListProps {
  prompts: Prompts;
  form: Form | null;
  onForm: (form: Form | null) => void;
}

function PromptList({ prompts, form, onForm }: PromptListProps): JSX.Element {
  const actions = useActions().prompts;
  const [deleted, setDeleted] = useState<string[]>([]);
  const add = useRef<HTMLButtonElement>(null);
  const kept = listPrompts(prompts);
  const done = () => {
    onForm(null);
    // The form had the focus and is removed.
    requestAnimationFrame(() => add.current?.focus());
  };
  return (
    <div class="prompts">
      <p class="muted">{t('prompts.how')}</p>
      <ul>
        {kept.map((prompt) =>
          prompt.id === form?.id ? (
            <li key={prompt.id}>
              <PromptForm form={form} others={kept.filter((one) => one !== prompt)} onForm={onForm} onDone={done} />
            </li>
          ) : (
            <PromptRow
              key={prompt.id}
              prompt={prompt}
              onEdit={() => onForm({ id: prompt.id, name: prompt.name.value, text: prompt.text.value })}
              onDelete={() => {
                actions.setDeleted(prompt.id, true);
                setDeleted([...deleted, prompt.id]);
                add.current?.focus();
              }}
            />
          ),
        )}
      </ul>
      <div role="status">
        {deleted
          .filter((id) => prompts[id]?.deleted.value)
          .map((id) => (
            <p key={id} class="muted">
              {t('prompts.deleted', { name: prompts[id]?.name.value ?? '' })}{' '}
              <button type="button" class="link" onClick={() => actions.setDeleted(id, false)}>
                {t('common.undo')}
              </button>
            </p>
          ))}
      </div>
      {form?.id === null ? (
        <PromptForm form={form} others={kept} onForm={onForm} onDone={done} />
      ) : (
        <button type="button" class="button" ref={add} onClick={() => onForm({ id: null, name: '', text: '' })}>
          <PlusIcon />
          {t('prompts.new')}
        </button>
      )}
    </div>
  );
}

interface PromptRowProps {
  prompt: SavedPrompt;
  onEdit: () => void;
  onDelete: () => void;
}

function PromptRow({ prompt: { name, text }, onEdit, onDelete }: PromptRowProps): JSX.Element {
  return (
    <li class="prompt-row">
      <p class="prompt-about" dir="auto">
        <strong>/{name.value}</strong> <span class="muted">{text.value.slice(0, 200)}</span>
      </p>
      <IconButton label={t('prompts.edit', { name: name.value })} onClick={onEdit}>
        <EditIcon />
      </IconButton>
      <IconButton label={t('prompts.delete', { name: name.value })} onClick={onDelete}>
        <TrashIcon />
      </IconButton>
    </li>
  );
}

interface PromptFormProps {
  form: Form;
  others: SavedPrompt[];
  onForm: (form: Form) => void;
  onDone: () => void;
}

function PromptForm({ form, others, onForm, onDone }: PromptFormProps): JSX.Element {
  const { prompts } = useActions();
  const { id, name, text } = form;
  const [problem, setProblem] = useState<string | null>(null);
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);
  const save = () => {
    const clean = cleanName(name);
    const found = promptProblem(clean, text, others, t);
    setProblem(found);
    if (found !== null) return;
    prompts.keep(id, clean, text);
    onDone();
  };
  return (
    <form
      class="prompt-form"
      onKeyDown={onEscape(onDone)}
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <label class="field">
        <span>{t('common.name')}</span>
        <input
          ref={first}
          value={name}
          placeholder={t('prompts.nameExample')}
          autocomplete="off"
          autocapitalize="none"
          onInput={({ currentTarget }) => onForm({ ...form, name: currentTarget.value })}
        />
      </label>
      <label class="field">
        <span>{t('prompts.text')}</span>
        <textarea
          rows={4}
          dir="auto"
          value={text}
          placeholder={t('prompts.textExample')}
          onInput={({ currentTarget }) => onForm({ ...form, text: currentTarget.value })}
        />
      </label>
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <div class="row end">
        <button type="button" class="button quiet" onClick={onDone}>
          {t('common.cancel')}
        </button>
        <button type="submit" class="button primary">
          {t('common.save')}
        </button>
      </div>
    </form>
  );
}
