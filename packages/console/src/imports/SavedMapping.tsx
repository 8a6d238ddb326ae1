import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { MAPPING_RULES } from '../../../server/src/domain/settings/mapping-settings.ts'
import { change, get } from '../api/client.ts'
import type { SavedMapping as Mapping, SavedMappings } from '../api/types.ts'
import { Button } from '../ui/Button.tsx'
import { TextField } from '../ui/form/Field.tsx'
import { Form } from '../ui/form/Form.tsx'
import { Note } from '../ui/state/Note.tsx'
import { Problem } from '../ui/state/Problem.tsx'
import { Time } from '../ui/time/Time.tsx'

type SavedMappingProps = {
  organization: number
  /** The id of the mapping by which the file is read. */
  id: number
}

/** The choices of an earlier file with the same headings, by which this one is read. They can be renamed and forgotten. */
export function SavedMapping({ organization, id }: SavedMappingProps) {
  const path = `/organizations/${organization}/import/mappings`
  const client = useQueryClient()
  const [isRenaming, setRenaming] = useState(false)
  const saved = useQuery({
    queryKey: ['organization', organization, 'import', 'mappings'],
    queryFn: ({ signal }) => get<SavedMappings>(path, signal),
  })
  // The preview of the file depends on them, too.
  const refresh = () =>
    client.invalidateQueries({ queryKey: ['organization', organization, 'import'] })
  const forget = useMutation({
    mutationFn: () => change('DELETE', `${path}/${id}`),
    onSuccess: refresh,
  })
  const mapping = saved.data?.items.find((each) => each.id === id)
  if (mapping === undefined) return null
  return (
    <Note>
      <p>
        Read as <strong>{mapping.name}</strong>, with the choices of{' '}
        <Time value={mapping.saved_at} />.
      </p>
      {isRenaming ? (
        <Rename
          path={`${path}/${id}`}
          mapping={mapping}
          onDone={async () => {
            await refresh()
            setRenaming(false)
          }}
        />
      ) : (
        <div className="row">
          <Button small onClick={() => setRenaming(true)}>
            Rename
          </Button>
          <Button small busy={forget.isPending} onClick={() => forget.mutate()}>
            Forget these choices
          </Button>
        </div>
      )}
      <Problem error={forget.error} />
    </Note>
  )
}

type RenameProps = { path: string; mapping: Mapping; onDone: () => Promise<void> }

function Rename({ path, mapping, onDone }: RenameProps) {
  const [name, setName] = useState(mapping.name)
  const save = useMutation({
    mutationFn: () => change('PATCH', path, { name }),
    onSuccess: onDone,
  })
  return (
    <Form rules={MAPPING_RULES} error={save.error} onSubmit={() => save.mutate()}>
      <TextField label="Name of such files" name="name" value={name} onChange={setName} />
      <div className="row">
        <Button small type="submit" look="primary" busy={save.isPending}>
          Save name
        </Button>
      </div>
    </Form>
  )
}
