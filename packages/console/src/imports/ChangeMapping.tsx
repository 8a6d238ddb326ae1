import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { MAPPING_RULES } from '../../../server/src/base/domain/import-formats.ts'
import { change } from '../api/client.ts'
import type { SavedMapping } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Button } from '../ui/Button.tsx'
import { TextField } from '../ui/form/Field.tsx'
import { Form } from '../ui/form/Form.tsx'
import { Problem } from '../ui/state/Problem.tsx'

type ChangeMappingProps = { organization: number; mapping: SavedMapping }

/** Buttons that rename and forget the choices for files with the same headings. */
export function ChangeMapping({ organization, mapping }: ChangeMappingProps) {
  const path = `/organizations/${organization}/import/mappings/${mapping.id}`
  const client = useQueryClient()
  const [isRenaming, setRenaming] = useState(false)
  // The preview of a file depends on them, too.
  const refresh = () =>
    client.invalidateQueries({ queryKey: ['organization', organization, 'import'] })
  const forget = useMutation({ mutationFn: () => change('DELETE', path), onSuccess: refresh })
  return (
    <>
      {isRenaming ? (
        <Rename
          path={path}
          mapping={mapping}
          onDone={async () => {
            await refresh()
            setRenaming(false)
          }}
        />
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
            aria-label={t('Forget these choices: {{name}}', { name: mapping.name })}
            busy={forget.isPending}
            onClick={() => forget.mutate()}
          >
            {t('Forget these choices')}
          </Button>
        </div>
      )}
      <Problem error={forget.error} />
    </>
  )
}

type RenameProps = { path: string; mapping: SavedMapping; onDone: () => Promise<void> }

function Rename({ path, mapping, onDone }: RenameProps) {
  const [name, setName] = useState(mapping.name)
  const save = useMutation({
    mutationFn: () => change('PATCH', path, { name }),
    onSuccess: onDone,
  })
  return (
    <Form rules={MAPPING_RULES} error={save.error} onSubmit={() => save.mutate()}>
      <TextField label={t('Name of such files')} name="name" value={name} onChange={setName} />
      <div className="row">
        <Button small type="submit" look="primary" busy={save.isPending}>
          {t('Save name')}
        </Button>
      </div>
    </Form>
  )
}
