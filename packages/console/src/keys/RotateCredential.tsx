import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { change } from '../api/client.ts'
import type { CredentialKind } from '../api/queries.ts'
import type { Credential, IssuedCredential, Rotation } from '../api/types.ts'
import { Button } from '../ui/Button.tsx'
import { Actions, Dialog } from '../ui/Dialog.tsx'
import { SelectField } from '../ui/Field.tsx'
import { Form } from '../ui/Form.tsx'
import { WORDS } from './words.ts'

type RotateCredentialProps = {
  organization: number
  kind: CredentialKind
  credential: Credential
  onClose: () => void
  onIssued: (issued: IssuedCredential) => void
}

const OVERLAPS: [string, string][] = [
  ['0', 'Not at all'],
  ['1', '1 hour'],
  ['24', '1 day'],
  ['168', '1 week'],
  ['720', '30 days'],
]

export function RotateCredential({
  organization,
  kind,
  credential,
  onClose,
  onIssued,
}: RotateCredentialProps) {
  const words = WORDS[kind]
  const client = useQueryClient()
  const [hours, setHours] = useState('24')
  const rotate = useMutation({
    mutationFn: (body: Rotation) =>
      change<IssuedCredential>(
        'POST',
        `/organizations/${organization}/${kind}/${credential.id}/rotate`,
        body,
      ),
    onSuccess: (issued) => {
      onIssued(issued)
      return client.invalidateQueries({ queryKey: ['organization', organization] })
    },
  })
  return (
    <Dialog title={`Rotate ${credential.name}`} onClose={onClose}>
      <p>
        A new {words.one} of the same name takes the place of{' '}
        <code>{`${credential.prefix}…${credential.last_four}`}</code>.
      </p>
      <Form
        error={rotate.error}
        fields={['overlap_hours']}
        onSubmit={() => {
          if (!rotate.isPending) rotate.mutate({ overlap_hours: Number(hours) })
        }}
      >
        <SelectField
          label="The old one stays good for"
          name="overlap_hours"
          options={OVERLAPS}
          value={hours}
          onChange={setHours}
          help={hours === '0' ? words.refused : words.overlap}
        />
        <Actions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={rotate.isPending}>
            Rotate {words.one}
          </Button>
        </Actions>
      </Form>
    </Dialog>
  )
}
