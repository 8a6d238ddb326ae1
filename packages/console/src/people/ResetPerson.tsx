import { change } from '../api/client.ts'
import { placeOf } from '../api/queries.ts'
import type { IssuedReset, Person } from '../api/types.ts'
import { t } from '../language/text.ts'
import { FormDialog } from '../ui/dialog/FormDialog.tsx'
import { useSaving } from '../ui/form/use-saving.ts'
import { LinkDialog } from './LinkDialog.tsx'

type ResetPersonProps = { organization: number | null; person: Person; onClose: () => void }

/** Makes a link for another password, and shows it once. */
export function ResetPerson({ organization, person, onClose }: ResetPersonProps) {
  const reset = useSaving({
    request: () =>
      change<IssuedReset>('POST', `${placeOf(organization)}/people/${person.id}/reset`),
  })
  const title = t('Reset {{name}}’s password', { name: person.name })
  if (reset.data !== undefined) {
    const { secret, expires_at } = reset.data
    return <LinkDialog title={title} secret={secret} endsAt={expires_at} onClose={onClose} />
  }
  return (
    <FormDialog
      title={title}
      action={t('Create link')}
      saving={reset}
      onSubmit={reset.mutate}
      onClose={onClose}
    >
      <p className="soft">
        {t(
          'Create a link with which {{email}} can set a new password. Using it turns off two-factor authentication and ends all sessions. Earlier links stop working when you create this one.',
          { email: person.email },
        )}
      </p>
    </FormDialog>
  )
}
