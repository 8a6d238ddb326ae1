import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { INVITATION_RULES } from '../../../server/src/base/domain/access-settings.ts'
import { change } from '../api/client.ts'
import { placeOf } from '../api/queries.ts'
import type { IssuedInvitation } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Dialog, SubmitOrCancel } from '../ui/dialog/Dialog.tsx'
import { SelectField, TextField } from '../ui/form/Field.tsx'
import { Form } from '../ui/form/Form.tsx'
import { LinkDialog } from './LinkDialog.tsx'
import { rolesOf } from './words.ts'

type InvitePersonProps = { organization: number | null; onClose: () => void }

/** Asks for an address and a role, then shows the link once. */
export function InvitePerson({ organization, onClose }: InvitePersonProps) {
  const client = useQueryClient()
  const roles: readonly (readonly [string, string])[] = rolesOf(organization)
  const [email, setEmail] = useState('')
  const [role, setRole] = useState(roles[0]![0])
  const [tried, setTried] = useState(false)
  const invite = useMutation({
    mutationFn: () =>
      change<IssuedInvitation>('POST', `${placeOf(organization)}/invitations`, {
        email: email.trim(),
        role,
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['invitations'] }),
  })
  if (invite.data !== undefined) {
    const { invitation, secret } = invite.data
    return (
      <LinkDialog
        title={t('Invitation of {{email}}', { email: email.trim() })}
        secret={secret}
        endsAt={invitation.expires_at}
        onClose={onClose}
      />
    )
  }
  const isMissing = email.trim() === ''
  return (
    <Dialog title={t('Invite a person')} onClose={onClose}>
      <Form
        error={invite.error}
        rules={INVITATION_RULES[organization === null ? 'deployment' : 'organization']}
        onSubmit={() => {
          setTried(true)
          if (!isMissing && !invite.isPending) invite.mutate()
        }}
      >
        <TextField
          label={t('Email address')}
          name="email"
          autoFocus
          autoComplete="off"
          value={email}
          onChange={setEmail}
          help={t(
            'The link works for this address only. Fleetgate sends no email: share the link yourself.',
          )}
          error={tried && isMissing ? t('Enter the address.') : undefined}
        />
        <SelectField
          label={t('Role')}
          name="role"
          options={roles}
          value={role}
          onChange={setRole}
        />
        <SubmitOrCancel action={t('Create link')} isBusy={invite.isPending} onCancel={onClose} />
      </Form>
    </Dialog>
  )
}
