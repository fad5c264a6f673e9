import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'

/** A page: its title, what can be done on it, and what it holds. */
export function Page({
  title,
  above,
  actions,
  children,
}: {
  readonly title: string
  /** The way back to what it is one of. */
  readonly above?: ComponentChildren
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}) {
  useEffect(() => {
    document.title = `${title} · Incident investigator`
  }, [title])
  return (
    <>
      {above !== undefined && <p class="back">{above}</p>}
      <header class="page-head">
        <h1 dir="auto">{title}</h1>
        {actions !== undefined && <div class="buttons">{actions}</div>}
      </header>
      {children}
    </>
  )
}
