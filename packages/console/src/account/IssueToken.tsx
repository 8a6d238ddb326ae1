import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { TOKEN_RULES } from '../../../server/src/domain/settings/access-settings.ts'
import { change } from '../api/client.ts'
import { useOrganizations } from '../api/queries.ts'
import type { IssuedToken, NewOrganizationToken, NewToken } from '../api/types.ts'
import { ExpiryField } from '../keys/ExpiryField.tsx'
import { type Expiry, expiresAt, NEVER } from '../keys/expiry.ts'
import { Button } from '../ui/Button.tsx'
import { Actions } from '../ui/dialog/Dialog.tsx'
import { SelectField, TextField } from '../ui/form/Field.tsx'
import { Form } from '../ui/form/Form.tsx'
import { useUtc } from '../ui/time/time-zone.ts'
import { isInOrganization, ROLE_CHOICES, ROLE_HELP, type Role } from './roles.ts'

export function IssueToken({ onIssued }: { onIssued: (issued: IssuedToken) => void }) {
  const client = useQueryClient()
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('viewer')
  const [organization, setOrganization] = useState('')
  const [expiry, setExpiry] = useState<Expiry>(NEVER)
  const [tried, setTried] = useState(false)
  const [utc] = useUtc()
  const issue = useMutation({
    mutationFn: (body: NewToken | NewOrganizationToken) => {
      const place = isInOrganization(role) ? `/organizations/${organization}` : ''
      return change<IssuedToken>('POST', `${place}/tokens`, body)
    },
    onSuccess: (issued) => {
      onIssued(issued)
      return client.invalidateQueries({ queryKey: ['tokens'] })
    },
  })
  const isUnnamed = name.trim() === ''
  const isUnchosen = isInOrganization(role) && organization === ''
  return (
    <Form
      error={issue.error}
      rules={TOKEN_RULES.deployment}
      fields={['expires_at']}
      onSubmit={() => {
        setTried(true)
        const ends = expiresAt(expiry, Date.now(), utc)
        if (isUnnamed || isUnchosen || ends === undefined || issue.isPending) return
        issue.mutate({ name: name.trim(), role, expires_at: ends } as NewToken)
      }}
    >
      <div className="columns">
        <TextField
          label="Name of a new token"
          name="name"
          placeholder="Backup script"
          value={name}
          onChange={setName}
          error={tried && isUnnamed ? 'Name what it is for.' : undefined}
        />
        <ExpiryField value={expiry} onChange={setExpiry} tried={tried} />
        <SelectField
          label="May"
          name="role"
          options={ROLE_CHOICES}
          value={role}
          onChange={setRole}
          help={ROLE_HELP[role]}
        />
        {isInOrganization(role) && (
          <OrganizationField
            value={organization}
            onChange={setOrganization}
            error={tried && isUnchosen ? 'Choose the organization.' : undefined}
          />
        )}
      </div>
      <Actions>
        <Button type="submit" look="primary" busy={issue.isPending}>
          Issue token
        </Button>
      </Actions>
    </Form>
  )
}

type OrganizationFieldProps = {
  value: string
  onChange: (organization: string) => void
  error: string | undefined
}

function OrganizationField({ value, onChange, error }: OrganizationFieldProps) {
  const { data } = useOrganizations('')
  const listed = (data?.items ?? []).map(({ id, name }) => [String(id), name] as const)
  return (
    <SelectField
      label="Organization"
      name="organization"
      options={[['', 'Choose…'], ...listed]}
      value={value}
      onChange={onChange}
      error={error}
    />
  )
}
