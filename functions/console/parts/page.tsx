import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'

/** A page: its title, what can be done on it, and what it holds. */
export function Page({
  title,
  actions,
  children,
}: {
  readonly title: string
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}) {
  useEffect(() => {
    document.title = `${title} · Incident investigator`
  }, [title])
  return (
    <>
      <header class="page-head">
        <h1>{title}</h1>
        {actions !== undefined && <div class="buttons">{actions}</div>}
      </header>
      {children}
    </>
  )
}
