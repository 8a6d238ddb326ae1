import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { PERSON_NAME } from '../../../server/src/base/domain/access-settings.ts'
import { change } from '../api/client.ts'
import { placeOf } from '../api/queries.ts'
import type { Person } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Dialog, SubmitOrCancel } from '../ui/dialog/Dialog.tsx'
import { toast } from '../ui/dialog/Toast.tsx'
import { TextField } from '../ui/form/Field.tsx'
import { Form } from '../ui/form/Form.tsx'

type RenamePersonProps = { organization: number | null; person: Person; onClose: () => void }

export function RenamePerson({ organization, person, onClose }: RenamePersonProps) {
  const client = useQueryClient()
  const [name, setName] = useState(person.name)
  const isMissing = name.trim() === ''
  const save = useMutation({
    mutationFn: () =>
      change('PATCH', `${placeOf(organization)}/people/${person.id}`, { name: name.trim() }),
    onSuccess: async () => {
      // It may be the own name, which the account menu shows.
      await Promise.all([
        client.invalidateQueries({ queryKey: ['people'] }),
        client.invalidateQueries({ queryKey: ['session'] }),
      ])
      toast(t('{{name}} was renamed to {{trim}}.', { name: person.name, trim: name.trim() }))
      onClose()
    },
  })
  return (
    <Dialog title={t('Rename {{name}}', { name: person.name })} onClose={onClose}>
      <Form
        error={save.error}
        rules={{ name: PERSON_NAME }}
        onSubmit={() => {
          if (!isMissing && !save.isPending) save.mutate()
        }}
      >
        <TextField
          label={t('Name')}
          name="name"
          autoFocus
          autoComplete="off"
          value={name}
          onChange={setName}
          error={isMissing ? t('Enter the name.') : undefined}
        />
        <SubmitOrCancel action={t('Save name')} isBusy={save.isPending} onCancel={onClose} />
      </Form>
    </Dialog>
  )
}
