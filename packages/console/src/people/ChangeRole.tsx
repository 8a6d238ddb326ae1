import { useState } from 'react'
import { change } from '../api/client.ts'
import { placeOf } from '../api/queries.ts'
import type { Person } from '../api/types.ts'
import { t } from '../language/text.ts'
import { FormDialog } from '../ui/dialog/FormDialog.tsx'
import { SelectField } from '../ui/form/Field.tsx'
import { useSaving } from '../ui/form/use-saving.ts'
import { roleIn, rolesOf } from './role-texts.ts'

type ChangeRoleProps = { organization: number | null; person: Person; onClose: () => void }

export function ChangeRole({ organization, person, onClose }: ChangeRoleProps) {
  const [role, setRole] = useState(roleIn(person, organization))
  const save = useSaving({
    request: () =>
      change('PATCH', `${placeOf(organization)}/people/${person.id}`, {
        role: role === '' ? null : role,
      }),
    // The own rights may have changed as well.
    refreshes: [['people'], ['session']],
    done: t('{{name}}’s role was changed.', { name: person.name }),
    onSaved: onClose,
  })
  const isOfOrganization = organization !== null
  return (
    <FormDialog
      title={t('Change {{name}}’s role', { name: person.name })}
      action={t('Save role')}
      saving={save}
      fields={['role']}
      onSubmit={save.mutate}
      onClose={onClose}
    >
      <SelectField
        label={isOfOrganization ? t('Role in this organization') : t('Role in the deployment')}
        name="role"
        options={[['', t('No role')], ...rolesOf(organization)] as [string, string][]}
        value={role}
        onChange={setRole}
        help={
          isOfOrganization
            ? t('Changes apply to the next request. Roles from single sign-on are kept.')
            : t(
                'Changes apply to the next request. Roles in organizations and from single sign-on are kept.',
              )
        }
      />
    </FormDialog>
  )
}
