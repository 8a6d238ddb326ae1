import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { TOKEN_RULES } from '../../../server/src/base/domain/access-settings.ts'
import { change } from '../api/client.ts'
import { placeOf } from '../api/queries.ts'
import type { IssuedToken } from '../api/types.ts'
import { ExpiryField } from '../keys/ExpiryField.tsx'
import { type Expiry, expiresAt, NEVER } from '../keys/expiry.ts'
import { t } from '../language/text.ts'
import { Dialog, SubmitOrCancel } from '../ui/dialog/Dialog.tsx'
import { SelectField, TextField } from '../ui/form/Field.tsx'
import { Form } from '../ui/form/Form.tsx'
import { useUtc } from '../ui/time/time-zone.ts'
import { rolesOf } from './words.ts'

type IssueTokenProps = {
  organization: number | null
  onClose: () => void
  onIssued: (issued: IssuedToken) => void
}

/** Asks for a name and a role. The first role is the one that allows least. */
export function IssueToken({ organization, onClose, onIssued }: IssueTokenProps) {
  const client = useQueryClient()
  const roles: readonly (readonly [string, string])[] = rolesOf(organization)
  const [name, setName] = useState('')
  const [role, setRole] = useState(roles[0]![0])
  const [expiry, setExpiry] = useState<Expiry>(NEVER)
  const [tried, setTried] = useState(false)
  const [utc] = useUtc()
  const issue = useMutation({
    mutationFn: (body: object) =>
      change<IssuedToken>('POST', `${placeOf(organization)}/tokens`, body),
    onSuccess: (issued) => {
      onIssued(issued)
      return client.invalidateQueries({ queryKey: ['tokens'] })
    },
  })
  const isUnnamed = name.trim() === ''
  return (
    <Dialog title={t('Issue token')} onClose={onClose}>
      <Form
        error={issue.error}
        rules={TOKEN_RULES[organization === null ? 'deployment' : 'organization']}
        fields={['expires_at']}
        onSubmit={() => {
          setTried(true)
          const ends = expiresAt(expiry, Date.now(), utc)
          if (isUnnamed || ends === undefined || issue.isPending) return
          issue.mutate({ name: name.trim(), role, expires_at: ends })
        }}
      >
        <TextField
          label={t('Name')}
          name="name"
          autoFocus
          autoComplete="off"
          placeholder={t('Backup script')}
          value={name}
          onChange={setName}
          error={tried && isUnnamed ? t('Enter what it is for.') : undefined}
        />
        <SelectField
          label={t('Role')}
          name="role"
          options={roles}
          value={role}
          onChange={setRole}
          help={
            organization === null
              ? t(
                  'For access to one organization, issue the token on the People page of that organization.',
                )
              : undefined
          }
        />
        <ExpiryField value={expiry} onChange={setExpiry} tried={tried} />
        <SubmitOrCancel action={t('Issue token')} isBusy={issue.isPending} onCancel={onClose} />
      </Form>
    </Dialog>
  )
}
