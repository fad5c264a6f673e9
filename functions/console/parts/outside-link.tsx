import type { ComponentChildren } from 'preact'

/** The address, if a link may lead there: what a log or a commit calls a link may be a program. */
function webAddress(href: string): string | null {
  try {
    const { protocol } = new URL(href)
    return protocol === 'https:' || protocol === 'http:' ? href : null
  } catch {
    return null
  }
}

/** A link out of the console; what is no web address stays text. */
export function OutsideLink({
  href,
  children,
}: {
  readonly href: string
  readonly children: ComponentChildren
}) {
  const address = webAddress(href)
  if (address === null) return <span>{children}</span>
  return (
    <a href={address} target="_blank" rel="noopener noreferrer">
      {children}
      <span class="unseen"> (opens in a new tab)</span>
    </a>
  )
}
