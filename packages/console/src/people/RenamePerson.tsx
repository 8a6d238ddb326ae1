import { useState } from 'react'
import { PERSON_NAME } from '../../../server/src/base/domain/access-settings.ts'
import { change } from '../api/client.ts'
import { placeOf } from '../api/queries.ts'
import type { Person } from '../api/types.ts'
import { t } from '../language/text.ts'
import { FormDialog } from '../ui/dialog/FormDialog.tsx'
import { TextField } from '../ui/form/Field.tsx'
import { useSaving } from '../ui/form/use-saving.ts'

type RenamePersonProps = { organization: number | null; person: Person; onClose: () => void }

export function RenamePerson({ organization, person, onClose }: RenamePersonProps) {
  const [name, setName] = useState(person.name)
  const isMissing = name.trim() === ''
  const save = useSaving({
    request: () =>
      change('PATCH', `${placeOf(organization)}/people/${person.id}`, { name: name.trim() }),
    // It may be the own name, which the account menu shows.
    refreshes: [['people'], ['session']],
    done: t('{{name}} was renamed to {{trim}}.', { name: person.name, trim: name.trim() }),
    onSaved: onClose,
  })
  return (
    <FormDialog
      title={t('Rename {{name}}', { name: person.name })}
      action={t('Save name')}
      saving={save}
      isReady={!isMissing}
      rules={{ name: PERSON_NAME }}
      onSubmit={save.mutate}
      onClose={onClose}
    >
      <TextField
        label={t('Name')}
        name="name"
        autoFocus
        autoComplete="off"
        value={name}
        onChange={setName}
        error={isMissing ? t('Enter a name.') : undefined}
      />
    </FormDialog>
  )
}
