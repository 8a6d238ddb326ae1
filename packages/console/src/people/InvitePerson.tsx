import { useState } from 'react'
import { INVITATION_RULES } from '../../../server/src/base/domain/access-settings.ts'
import { change } from '../api/client.ts'
import { placeOf } from '../api/queries.ts'
import type { IssuedInvitation } from '../api/types.ts'
import { t } from '../language/text.ts'
import { FormDialog } from '../ui/dialog/FormDialog.tsx'
import { SelectField, TextField } from '../ui/form/Field.tsx'
import { useSaving } from '../ui/form/use-saving.ts'
import { LinkDialog } from './LinkDialog.tsx'
import { rolesOf } from './role-texts.ts'

type InvitePersonProps = { organization: number | null; onClose: () => void }

/** Asks for an address and a role, then shows the link once. */
export function InvitePerson({ organization, onClose }: InvitePersonProps) {
  const roles: readonly (readonly [string, string])[] = rolesOf(organization)
  const [email, setEmail] = useState('')
  const [role, setRole] = useState(roles[0]![0])
  const invite = useSaving({
    request: () =>
      change<IssuedInvitation>('POST', `${placeOf(organization)}/invitations`, {
        email: email.trim(),
        role,
      }),
    refreshes: [['invitations']],
  })
  if (invite.data !== undefined) {
    const { invitation, secret } = invite.data
    return (
      <LinkDialog
        title={t('Invitation for {{email}}', { email: email.trim() })}
        secret={secret}
        endsAt={invitation.expires_at}
        onClose={onClose}
      />
    )
  }
  const isMissing = email.trim() === ''
  return (
    <FormDialog
      title={t('Invite a person')}
      action={t('Create link')}
      saving={invite}
      isReady={!isMissing}
      rules={INVITATION_RULES[organization === null ? 'deployment' : 'organization']}
      onSubmit={invite.mutate}
      onClose={onClose}
    >
      <TextField
        label={t('Email address')}
        name="email"
        autoFocus
        autoComplete="off"
        value={email}
        onChange={setEmail}
        help={t(
          'The link works only for this address. Fleetgate does not send email, so share the link yourself.',
        )}
        fault={isMissing && t('Enter an email address.')}
      />
      <SelectField label={t('Role')} name="role" options={roles} value={role} onChange={setRole} />
    </FormDialog>
  )
}
