import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import type { ApiError } from '../api.ts'
import { type Doing, useDoing } from '../use-answer.ts'
import { Failure } from './states.tsx'

/** A dialog over the page: the browser keeps the focus in it, Escape closes it, and what opened it has the focus again. */
export function DialogBox({
  title,
  onClose,
  children,
}: {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}) {
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  const isTakenAway = useRef(false)
  // Before it is painted, and before it is gone: other effects end only after that.
  useLayoutEffect(() => {
    const { current } = dialog
    current?.showModal()
    return () => {
      // The browser gives the focus back when a dialog is closed, not when it is taken away: so it is closed first,
      // which is nobody's wish to leave what may stand in its place.
      isTakenAway.current = true
      current?.close()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onClose={() => {
        if (!isTakenAway.current) onClose()
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  )
}

/** Asks before something is done that cannot be undone. */
export function ConfirmDialog({
  title,
  confirm,
  act,
  onClose,
  onDone,
  children,
}: {
  readonly title: string
  /** What the button says that does it. */
  readonly confirm: string
  readonly act: () => Promise<unknown>
  readonly onClose: () => void
  readonly onDone: () => void
  readonly children: ComponentChildren
}) {
  const doing = useDoing()
  const submit = async () => {
    if (await doing.run(act)) onDone()
  }
  return (
    <DialogBox title={title} onClose={onClose}>
      <div>{children}</div>
      <DialogEnd
        doing={doing}
        confirm={confirm}
        isDangerous={true}
        onConfirm={() => void submit()}
        onClose={onClose}
      />
    </DialogBox>
  )
}

/** The end of a dialog: why it failed, a way out, and what does it. */
export function DialogEnd({
  doing,
  confirm,
  isDangerous = false,
  onConfirm,
  onClose,
}: {
  readonly doing: Pick<Doing, 'isBusy'> & { readonly error: ApiError | undefined }
  readonly confirm: string
  readonly isDangerous?: boolean
  /** Absent in a form, whose submission does it. */
  readonly onConfirm?: () => void
  readonly onClose: () => void
}) {
  return (
    <>
      {doing.error !== undefined && <Failure error={doing.error} />}
      <div class="buttons">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button
          type={onConfirm === undefined ? 'submit' : 'button'}
          class={isDangerous ? 'dangerous' : 'primary'}
          aria-disabled={doing.isBusy}
          onClick={onConfirm}
        >
          {doing.isBusy ? 'Working…' : confirm}
        </button>
      </div>
    </>
  )
}
