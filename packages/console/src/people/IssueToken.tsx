import { useState } from 'react'
import { TOKEN_RULES } from '../../../server/src/base/domain/access-settings.ts'
import { change } from '../api/client.ts'
import { placeOf } from '../api/queries.ts'
import type { IssuedToken } from '../api/types.ts'
import { ExpiryField } from '../keys/ExpiryField.tsx'
import { type Expiry, expiresAt, isChosen, NEVER } from '../keys/expiry.ts'
import { t } from '../language/text.ts'
import { FormDialog } from '../ui/dialog/FormDialog.tsx'
import { SelectField, TextField } from '../ui/form/Field.tsx'
import { useSaving } from '../ui/form/use-saving.ts'
import { useUtc } from '../ui/time/time-zone.ts'
import { rolesOf } from './role-texts.ts'

type IssueTokenProps = {
  organization: number | null
  onClose: () => void
  onIssued: (issued: IssuedToken) => void
}

/** Asks for a name and a role. The first role is the one that allows least. */
export function IssueToken({ organization, onClose, onIssued }: IssueTokenProps) {
  const roles: readonly (readonly [string, string])[] = rolesOf(organization)
  const [name, setName] = useState('')
  const [role, setRole] = useState(roles[0]![0])
  const [expiry, setExpiry] = useState<Expiry>(NEVER)
  const [utc] = useUtc()
  const issue = useSaving({
    request: (body: object) => change<IssuedToken>('POST', `${placeOf(organization)}/tokens`, body),
    onAnswer: onIssued,
    refreshes: [['tokens']],
  })
  const isUnnamed = name.trim() === ''
  return (
    <FormDialog
      title={t('Issue token')}
      action={t('Issue token')}
      saving={issue}
      isReady={!isUnnamed && isChosen(expiry)}
      rules={TOKEN_RULES[organization === null ? 'deployment' : 'organization']}
      fields={['expires_at']}
      onSubmit={() => {
        const expires_at = expiresAt(expiry, Date.now(), utc)
        issue.mutate({ name: name.trim(), role, expires_at })
      }}
      onClose={onClose}
    >
      <TextField
        label={t('Name')}
        name="name"
        autoFocus
        autoComplete="off"
        placeholder={t('Backup script')}
        value={name}
        onChange={setName}
        fault={isUnnamed && t('Enter a name for the token.')}
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
                'For access to one organization, issue the token on that organization’s People page.',
              )
            : undefined
        }
      />
      <ExpiryField value={expiry} onChange={setExpiry} />
    </FormDialog>
  )
}
