import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Redirect, useLocation } from 'wouter'
import { change } from '../api/client.ts'
import { t } from '../language/text.ts'
import { ROLE_NAMES } from '../people/role-texts.ts'
import { Button } from '../ui/Button.tsx'
import { Problem } from '../ui/state/Problem.tsx'
import { toast } from '../ui/toast/Toast.tsx'
import { isNoLink, useLink } from './SetUp.tsx'

/** The page of a one-time URL, for somebody who has signed in. A link that was used leads to the first page. */
export function AcceptInvitation() {
  const token = location.hash.slice(1)
  return token === '' ? <Redirect to="/" replace /> : <Invitation token={token} />
}

function Invitation({ token }: { token: string }) {
  const client = useQueryClient()
  const [, navigate] = useLocation()
  const link = useLink(token)
  const accept = useMutation({
    mutationFn: () => change('POST', '/invitation', { token }),
    onSuccess: () => {
      toast(t('The invitation was accepted.'))
      navigate('/', { replace: true })
      return client.invalidateQueries({ predicate: isNoLink })
    },
  })
  if (link.error !== null || link.data?.kind === 'reset') return <Redirect to="/" replace />
  if (link.data === undefined) return null
  const { email, role, organization } = link.data
  return (
    <div className="stack">
      <h1>{t('Invitation')}</h1>
      <p>
        {t('Invitation for {{email}}: {{role}} in {{place}}.', {
          email: email ?? t('you'),
          place: organization ?? t('this deployment'),
          role: role === null ? '' : ROLE_NAMES[role],
        })}
      </p>
      {accept.error !== null && <Problem error={accept.error} />}
      <div className="row">
        <Button look="primary" busy={accept.isPending} onClick={() => accept.mutate()}>
          {t('Accept')}
        </Button>
      </div>
    </div>
  )
}
