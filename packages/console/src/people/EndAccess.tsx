import type { ReactNode } from 'react'
import { change } from '../api/client.ts'
import { placeOf } from '../api/queries.ts'
import type { Person } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Confirm } from '../ui/dialog/Confirm.tsx'

export type EndingAct = 'disable' | 'unlink' | 'delete'

type Ending = {
  title: string
  action: string
  text: ReactNode
  done: string
  request: (path: string) => Promise<unknown>
}

function endingOf(act: EndingAct, { name, email, has_password }: Person): Ending {
  switch (act) {
    case 'disable':
      return {
        title: t('Disable {{name}}?', { name }),
        action: t('Disable person'),
        text: t(
          '{{email}} is signed out everywhere and cannot sign in until the account is enabled again. Tokens that this person issued stop working too.',
          { email },
        ),
        done: t('{{name}} was disabled.', { name }),
        request: (path) => change('PATCH', path, { is_disabled: true }),
      }
    case 'unlink':
      return {
        title: t('Unlink {{name}} from single sign-on?', { name }),
        action: t('Unlink single sign-on'),
        text: has_password
          ? t(
              'This ends the person’s single sign-on sessions and removes roles from single sign-on. {{email}} can still sign in with a password.',
              { email },
            )
          : t(
              'This ends the person’s single sign-on sessions and removes roles from single sign-on. The person has no password, so send a password reset link afterwards.',
            ),
        done: t('{{name}} is no longer linked to single sign-on.', { name }),
        request: (path) => change('DELETE', `${path}/sign-on`),
      }
    case 'delete':
      return {
        title: t('Delete {{name}}?', { name }),
        action: t('Delete person'),
        text: t(
          'This deletes the account of {{email}} with its roles and sessions. Tokens and invitations that the person issued are revoked. The audit log keeps the name. This cannot be undone.',
          { email },
        ),
        done: t('{{name}} was deleted.', { name }),
        request: (path) => change('DELETE', path),
      }
  }
}

type EndAccessProps = {
  organization: number | null
  person: Person
  act: EndingAct
  onClose: () => void
}

/** Asks before it takes something from a person. */
export function EndAccess({ organization, person, act, onClose }: EndAccessProps) {
  const { title, action, text, done, request } = endingOf(act, person)
  return (
    <Confirm
      title={title}
      action={action}
      onClose={onClose}
      onConfirm={() => request(`${placeOf(organization)}/people/${person.id}`)}
      refreshes={[['people'], ['tokens'], ['invitations']]}
      done={done}
    >
      <p>{text}</p>
    </Confirm>
  )
}
