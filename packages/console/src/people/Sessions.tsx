import { useState } from 'react'
import { change } from '../api/client.ts'
import { useOpenSessions } from '../api/queries.ts'
import { t } from '../language/text.ts'
import { Badge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { Changing } from '../ui/changing.tsx'
import { Confirm } from '../ui/dialog/Confirm.tsx'
import { Actions, Dialog } from '../ui/dialog/Dialog.tsx'
import { Loaded } from '../ui/state/Loaded.tsx'
import { WaysIn } from './WaysIn.tsx'

type SessionsProps = {
  title: string
  path: string
  /** Whether the path takes an end of all but the own one. */
  endsAll?: boolean
  onClose: () => void
}

/** The browsers in which somebody has signed in. */
export function Sessions({ title, path, endsAll = false, onClose }: SessionsProps) {
  const sessions = useOpenSessions(path)
  const [endingAll, setEndingAll] = useState(false)
  return (
    <Dialog title={title} wide onClose={onClose}>
      <Loaded query={sessions} lines={2} none={<p className="soft">{t('No active sessions.')}</p>}>
        {({ items }) => (
          <WaysIn
            kind="session"
            path={path}
            queryKey={['sessions']}
            rows={items.map((each) => ({
              id: each.id,
              name: each.browser === '' ? t('Unknown') : each.browser,
              badges: (
                <>
                  {each.is_own && <Badge kind="good">{t('This session')}</Badge>}
                  {each.is_sign_on && <Badge>{t('Single sign-on')}</Badge>}
                </>
              ),
              createdAt: each.created_at,
              usedAt: each.last_used_at,
              endsAt: each.expires_at,
              isOwn: each.is_own,
            }))}
          />
        )}
      </Loaded>
      <Actions>
        {endsAll && (
          <Changing>
            <Button look="danger" onClick={() => setEndingAll(true)}>
              {t('Sign out all…')}
            </Button>
          </Changing>
        )}
        <Button look="primary" onClick={onClose}>
          {t('Close')}
        </Button>
      </Actions>
      {endingAll && (
        <Confirm
          title={t('Sign out all sessions?')}
          action={t('Sign out all sessions')}
          onClose={() => setEndingAll(false)}
          onConfirm={() => change('DELETE', path)}
          refreshes={[['sessions']]}
          done={t('All sessions were signed out.')}
        >
          <p>
            {t(
              'This immediately signs the person out in all browsers. Your current session is kept.',
            )}
          </p>
        </Confirm>
      )}
    </Dialog>
  )
}
