import { type ReactNode, useEffect, useRef, useSyncExternalStore } from 'react'
import { useLocation } from 'wouter'
import { useSession } from '../api/queries.ts'
import { t } from '../language/text.ts'
import { Dialog } from '../ui/dialog/Dialog.tsx'
import { Loaded } from '../ui/state/Loaded.tsx'
import { Entrance } from './Entrance.tsx'
import { LinkNeeded, SetUp } from './SetUp.tsx'
import { SetUpCodes } from './SetUpCodes.tsx'
import { SignInWays } from './SignInWays.tsx'

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
      return link === null ? <LinkNeeded /> : <SetUp token={link} />
    case 'signed_in':
      return session.data?.must_set_up_totp ? (
        <Entrance title={t('Set up two-factor authentication')}>
          <SetUpCodes />
        </Entrance>
      ) : (
        children
      )
    case 'signed_out':
      if (link !== null) return <SetUp token={link} />
      return wasIn.current ? (
        <>
          {children}
          <SessionEnded />
        </>
      ) : (
        <Entrance title={t('Sign in')}>
          <SignInWays />
        </Entrance>
      )
  }
}

/** Above the page, not in its place: what was being typed there is not lost. */
function SessionEnded() {
  return (
    <Dialog title={t('Sign in again')} stays onClose={() => {}}>
      <p className="soft">
        {t('Your session has expired. Sign in to continue where you left off.')}
      </p>
      <SignInWays stays />
    </Dialog>
  )
}

function onHash(tell: () => void): () => void {
  addEventListener('hashchange', tell)
  return () => removeEventListener('hashchange', tell)
}
