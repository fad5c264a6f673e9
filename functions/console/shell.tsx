import { useEffect, useRef, useState } from 'preact/hooks'
import { ErrorBoundary, LocationProvider, Route, Router, useLocation } from 'preact-iso'
import { ApiError } from './api.ts'
import { PAGES } from './page-table.ts'
import { Page } from './parts/page.tsx'
import { Empty, Failure, Loading } from './parts/states.tsx'
import { type Session, session, signIn, signInProblem, signOut } from './session.ts'
import { place, settings } from './settings.ts'

/** Where the console opens. */
const FIRST = 'incidents'

function Navigation() {
  const { path } = useLocation()
  return (
    <nav aria-label="Pages">
      <ul>
        {PAGES.filter(({ title }) => title !== undefined).map((page) => {
          const to = place(page.path)
          const isHere = path === to || path.startsWith(`${to}/`)
          return (
            <li key={page.path}>
              <a href={to} aria-current={isHere ? 'page' : undefined}>
                {page.title}
              </a>
            </li>
          )
        })}
      </ul>
    </nav>
  )
}

/** The root leads on to the first page. */
function Opening() {
  const { route } = useLocation() as ReturnType<typeof useLocation> & {
    route: (to: string, replace?: boolean) => void
  }
  useEffect(() => route(place(FIRST), true), [route])
  return <Loading what="the console" />
}

function NotFound() {
  return (
    <Page title="No such page">
      <Empty title="Nothing is at this address.">
        <p>
          <a href={place(FIRST)}>To the first page</a>
        </p>
      </Empty>
    </Page>
  )
}

/** The pages; one that fails to load or to draw says so in its own place, and the rest stays. */
function Pages() {
  const main = useRef<HTMLElement>(null)
  const shown = useRef(location.pathname)
  const [broken, setBroken] = useState<Error>()
  return (
    <main id="main" ref={main} tabIndex={-1}>
      {broken !== undefined && (
        <Failure
          error={new ApiError(0, 'INTERNAL_ERROR', broken.message, {}, null)}
          retry={() => location.reload()}
        />
      )}
      <ErrorBoundary onError={setBroken}>
        <Router
          onRouteChange={(url) => {
            setBroken(undefined)
            // Those who do not see the page change hear of it; a filter in the address is no other page.
            const [path = ''] = url.split('?')
            if (path !== shown.current) main.current?.focus()
            shown.current = path
          }}
        >
          <Route path={settings.base} component={Opening} />
          {PAGES.map(({ path, component }) => (
            <Route key={path} path={place(path)} component={component} />
          ))}
          <Route default component={NotFound} />
        </Router>
      </ErrorBoundary>
    </main>
  )
}

function SignedIn({ who }: { readonly who: Session }) {
  return (
    <LocationProvider scope={settings.base}>
      <div class="shell">
        <a class="skip" href="#main">
          Skip to the page
        </a>
        <header class="shell-head">
          <p class="brand">Incident investigator</p>
          <Navigation />
          <div class="who">
            <span>
              {who.name}
              {who.isAdmin ? '' : ' (reads only)'}
            </span>
            <button type="button" onClick={signOut}>
              Sign out
            </button>
          </div>
        </header>
        <Pages />
      </div>
    </LocationProvider>
  )
}

function SignedOut() {
  useEffect(() => {
    document.title = 'Sign in · Incident investigator'
  }, [])
  return (
    <main class="sign-in">
      <h1>Incident investigator</h1>
      <p>What broke, why, and with which evidence.</p>
      {signInProblem.value !== null && <p role="alert">{signInProblem.value}</p>}
      <button type="button" class="primary" onClick={() => void signIn()}>
        Sign in
      </button>
    </main>
  )
}

/** The console: whoever is signed in sees its pages, everybody else a way to sign in. */
export function Shell() {
  const who = session.value
  if (who === 'pending')
    return (
      <main class="sign-in">
        <Loading what="the console" />
      </main>
    )
  return who === null ? <SignedOut /> : <SignedIn who={who} />
}
