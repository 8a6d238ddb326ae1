import { useState } from 'react'
import { MAPPING_RULES } from '../../../server/src/base/domain/import-formats.ts'
import { change } from '../api/client.ts'
import type { SavedMapping } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Button } from '../ui/Button.tsx'
import { TextField } from '../ui/form/Field.tsx'
import { Form, type FormProps } from '../ui/form/Form.tsx'
import { useSaving } from '../ui/form/use-saving.ts'
import { Problem } from '../ui/state/Problem.tsx'

type ChangeMappingProps = { organization: number; mapping: SavedMapping }

/** Buttons that rename and forget the choices for files with the same headings. */
export function ChangeMapping({ organization, mapping }: ChangeMappingProps) {
  const path = `/organizations/${organization}/import/mappings/${mapping.id}`
  const [isRenaming, setRenaming] = useState(false)
  // The preview of a file depends on them, too.
  const refreshes = [['organization', organization, 'import']]
  const forget = useSaving({ request: () => change('DELETE', path), refreshes })
  const rename = useSaving({
    request: (name: string) => change('PATCH', path, { name }),
    refreshes,
    onSaved: () => setRenaming(false),
  })
  return (
    <>
      {isRenaming ? (
        <Rename mapping={mapping} saving={rename} onRename={rename.mutate} />
      ) : (
        <div className="row">
          <Button
            small
            aria-label={t('Rename {{name}}', { name: mapping.name })}
            onClick={() => setRenaming(true)}
          >
            {t('Rename')}
          </Button>
          <Button
            small
            aria-label={t('Delete these settings: {{name}}', { name: mapping.name })}
            busy={forget.isPending}
            onClick={() => forget.mutate()}
          >
            {t('Delete these settings')}
          </Button>
        </div>
      )}
      <Problem error={forget.error} />
    </>
  )
}

type RenameProps = Pick<FormProps, 'saving'> & {
  mapping: SavedMapping
  onRename: (name: string) => void
}

function Rename({ mapping, saving, onRename }: RenameProps) {
  const [name, setName] = useState(mapping.name)
  return (
    <Form rules={MAPPING_RULES} saving={saving} onSubmit={() => onRename(name)}>
      <TextField label={t('Settings name')} name="name" value={name} onChange={setName} />
      <div className="row">
        <Button small type="submit" look="primary" busy={saving.isPending}>
          {t('Save name')}
        </Button>
      </div>
    </Form>
  )
}
