import type { ComponentChildren, InputHTMLAttributes, TextareaHTMLAttributes } from 'preact'
import { useId } from 'preact/hooks'

interface FieldProps {
  readonly label: string
  readonly hint?: ComponentChildren
  /** What is wrong with the value. */
  readonly problem?: string | undefined
}

type Described = {
  readonly id: string
  readonly 'aria-describedby'?: string
  readonly 'aria-invalid'?: true
}

/** A label, what it labels, a hint and what is wrong, tied together for those who do not see them side by side. */
function Field({
  label,
  hint,
  problem,
  children,
}: FieldProps & { readonly children: (described: Described) => ComponentChildren }) {
  const id = useId()
  const described = [hint === undefined ? [] : [`${id}-hint`], problem === undefined ? [] : [`${id}-problem`]]
    .flat()
    .join(' ')
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        ...(described === '' ? {} : { 'aria-describedby': described }),
        ...(problem === undefined ? {} : { 'aria-invalid': true as const }),
      })}
      {hint !== undefined && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
      {problem !== undefined && (
        <p id={`${id}-problem`} class="problem">
          {problem}
        </p>
      )}
    </div>
  )
}

/** One line of text, a date, a number or a secret. */
export function TextField({
  label,
  hint,
  problem,
  onValue,
  ...input
}: FieldProps & { readonly onValue: (value: string) => void } & InputHTMLAttributes<HTMLInputElement>) {
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(described) => (
        <input {...input} {...described} onInput={(event) => onValue(event.currentTarget.value)} />
      )}
    </Field>
  )
}

/** Several lines of text. */
export function LinesField({
  label,
  hint,
  problem,
  onValue,
  ...area
}: FieldProps & {
  readonly onValue: (value: string) => void
} & TextareaHTMLAttributes<HTMLTextAreaElement>) {
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(described) => (
        <textarea {...area} {...described} onInput={(event) => onValue(event.currentTarget.value)} />
      )}
    </Field>
  )
}

/** One of a few. */
export function ChoiceField({
  label,
  hint,
  problem,
  value,
  choices,
  onValue,
}: FieldProps & {
  readonly value: string
  readonly choices: readonly (readonly [value: string, text: string])[]
  readonly onValue: (value: string) => void
}) {
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(described) => (
        <select {...described} value={value} onChange={(event) => onValue(event.currentTarget.value)}>
          {choices.map(([each, text]) => (
            <option key={each} value={each}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

/** Yes or no. */
export function CheckField({
  label,
  checked,
  onValue,
}: {
  readonly label: string
  readonly checked: boolean
  readonly onValue: (checked: boolean) => void
}) {
  return (
    <label class="check">
      <input type="checkbox" checked={checked} onChange={(event) => onValue(event.currentTarget.checked)} />
      <span>{label}</span>
    </label>
  )
}
