import { type ReactNode, Suspense, useEffect, useRef, useSyncExternalStore } from 'react'
import { useLocation } from 'wouter'
import { useSession } from '../api/queries.ts'
import { t } from '../language/text.ts'
import { Late } from '../ui/page/Late.tsx'
import { lazily } from '../ui/page/lazily.ts'
import { Loaded } from '../ui/state/Loaded.tsx'
import { Entrance } from './Entrance.tsx'

const LinkNeeded = lazily(() => import('./SetUp.tsx'), 'LinkNeeded')
const SessionEnded = lazily(() => import('./SessionEnded.tsx'), 'SessionEnded')
const SetUp = lazily(() => import('./SetUp.tsx'), 'SetUp')
const SetUpCodes = lazily(() => import('./SetUpCodes.tsx'), 'SetUpCodes')
const SignInWays = lazily(() => import('./SignInWays.tsx'), 'SignInWays')

/** Shows its content to signed-in users. The address stays, so that signing in leads to the page that was asked for. */
export function Gate({ children }: { children: ReactNode }) {
  const session = useSession()
  const [path] = useLocation()
  const token = useSyncExternalStore(onHash, () => location.hash.slice(1))
  const wasIn = useRef(false)
  const link = path === '/setup' && token !== '' ? token : null
  const state = session.data?.state
  const { refetch } = session
  // A link that is pasted into an open page changes only the hash, and the session may have ended by now.
  useEffect(() => {
    if (link !== null) void refetch({ cancelRefetch: false })
  }, [link, refetch])
  if (state === 'signed_in') wasIn.current = true

  switch (state) {
    case undefined:
      return (
        <main className="entrance">
          <h1 className="visually-hidden">{t('Fleetgate')}</h1>
          <Loaded query={session}>{() => null}</Loaded>
        </main>
      )
    case 'setup':
      return <Suspense>{link === null ? <LinkNeeded /> : <SetUp token={link} />}</Suspense>
    case 'signed_in':
      return session.data?.must_set_up_totp ? (
        <Entrance title={t('Set up two-factor authentication')}>
          <Suspense>
            <SetUpCodes />
          </Suspense>
        </Entrance>
      ) : (
        children
      )
    case 'signed_out':
      if (link !== null) {
        return (
          <Suspense>
            <SetUp token={link} />
          </Suspense>
        )
      }
      return wasIn.current ? (
        <>
          {children}
          <Late>
            <SessionEnded />
          </Late>
        </>
      ) : (
        <Entrance title={t('Sign in')}>
          <Suspense>
            <SignInWays />
          </Suspense>
        </Entrance>
      )
  }
}

function onHash(tell: () => void): () => void {
  addEventListener('hashchange', tell)
  return () => removeEventListener('hashchange', tell)
}
