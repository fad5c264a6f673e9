import { CopyButton } from './copy-button.tsx'

/** A value that people take along, with a button that copies it. */
export function CopiedValue({
  says,
  value,
  label,
}: {
  /** What stands before it. */
  readonly says: string
  readonly value: string
  readonly label: string
}) {
  return (
    <>
      <p>{says}</p>
      <p>
        <code class="value">{value}</code>
      </p>
      <CopyButton text={value} label={label} />
    </>
  )
}

/** What a dialog ends with that only told something: its warnings, and the way out. */
export function ToldOnce({
  warnings = [],
  onClose,
}: {
  readonly warnings?: readonly string[] | undefined
  readonly onClose: () => void
}) {
  return (
    <>
      {warnings.map((warning) => (
        <p key={warning} class="problem">
          {warning}
        </p>
      ))}
      <div class="buttons">
        <button type="button" class="primary" onClick={onClose}>
          Done
        </button>
      </div>
    </>
  )
}
