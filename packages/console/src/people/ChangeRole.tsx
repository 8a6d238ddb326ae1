import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { change } from '../api/client.ts'
import { placeOf } from '../api/queries.ts'
import type { Person } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Dialog, SubmitOrCancel } from '../ui/dialog/Dialog.tsx'
import { toast } from '../ui/dialog/Toast.tsx'
import { SelectField } from '../ui/form/Field.tsx'
import { Form } from '../ui/form/Form.tsx'
import { roleIn, rolesOf } from './words.ts'

type ChangeRoleProps = { organization: number | null; person: Person; onClose: () => void }

export function ChangeRole({ organization, person, onClose }: ChangeRoleProps) {
  const client = useQueryClient()
  const [role, setRole] = useState(roleIn(person, organization))
  const save = useMutation({
    mutationFn: () =>
      change('PATCH', `${placeOf(organization)}/people/${person.id}`, {
        role: role === '' ? null : role,
      }),
    onSuccess: async () => {
      // The own rights may have changed as well.
      await Promise.all([
        client.invalidateQueries({ queryKey: ['people'] }),
        client.invalidateQueries({ queryKey: ['session'] }),
      ])
      toast(t('The role of {{name}} was changed.', { name: person.name }))
      onClose()
    },
  })
  const isOfOrganization = organization !== null
  return (
    <Dialog title={t('Role of {{name}}', { name: person.name })} onClose={onClose}>
      <Form error={save.error} fields={['role']} onSubmit={() => save.isPending || save.mutate()}>
        <SelectField
          label={isOfOrganization ? t('Role in this organization') : t('Role in the deployment')}
          name="role"
          options={[['', t('None')], ...rolesOf(organization)] as [string, string][]}
          value={role}
          onChange={setRole}
          help={
            isOfOrganization
              ? t('Changes apply to the next request. Roles from single sign-on stay.')
              : t(
                  'Changes apply to the next request. Roles in organizations and roles from single sign-on stay.',
                )
          }
        />
        <SubmitOrCancel action={t('Save role')} isBusy={save.isPending} onCancel={onClose} />
      </Form>
    </Dialog>
  )
}
