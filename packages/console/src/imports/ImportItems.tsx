import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ITEM_RULES } from '../../../server/src/domain/items.ts'
import { documentedName, type Rule } from '../../../server/src/domain/settings/rule.ts'
import { upload } from '../api/client.ts'
import type { ImportSummary } from '../api/types.ts'
import { isKind, KINDS } from '../places/kinds.ts'
import { Button } from '../ui/Button.tsx'
import { announce } from '../ui/dialog/announce.ts'
import { Actions } from '../ui/dialog/Dialog.tsx'
import { Note } from '../ui/state/Note.tsx'
import { Problem } from '../ui/state/Problem.tsx'
import { FileDrop } from './FileDrop.tsx'
import { fileEndings, type ImportKind, typeOf, unfitFile } from './formats.ts'
import { Summary } from './Summary.tsx'

type ItemKind = Exclude<ImportKind, 'positions'>

const OBJECTS =
  'A row for each object: ident and name, and other fields that you have, such as vin, plate_number or an accuracy setting. A row with an existing ident changes that object.'

/** The columns of a file, and its shapes if it is one of places. */
function columnsOf(kind: ItemKind): string {
  if (kind === 'objects') return OBJECTS
  const optional = Object.entries<Rule>(ITEM_RULES[kind])
    .filter(([, rule]) => rule.optional)
    .map(
      ([name, { says }]) => `${documentedName(name)}${says.includes('metres') ? ' (metres)' : ''}`,
    )
  const shapes = isKind(kind) ? KINDS[kind].shapes : 'Rows'
  return `${shapes} with a name; ${LIST.format(optional)} if there are any.`
}

const LIST = new Intl.ListFormat('en-GB')

type ImportItemsProps = { organization: number; kind: ItemKind; onClose: () => void }

export function ImportItems({ organization, kind, onClose }: ImportItemsProps) {
  const client = useQueryClient()
  const [unfit, setUnfit] = useState<string | null>(null)
  const send = useMutation({
    mutationFn: ({ file, type }: { file: File; type: string }) =>
      upload<ImportSummary>(
        `/organizations/${organization}/import/${kind}?file=${encodeURIComponent(file.name)}`,
        file,
        type,
      ),
    onSuccess: ({ accepted, read }) => {
      announce(`Import done: ${accepted} of ${read} rows were taken.`)
      return Promise.all([
        client.invalidateQueries({ queryKey: ['organization', organization] }),
        client.invalidateQueries({ queryKey: ['audit'] }),
      ])
    },
  })
  const take = (file: File) => {
    const type = typeOf(file, kind)
    setUnfit(type === undefined ? unfitFile(file, kind) : null)
    if (type !== undefined) send.mutate({ file, type })
  }
  if (send.data !== undefined) {
    return (
      <>
        <Summary summary={send.data} />
        <Actions>
          <Button onClick={() => send.reset()}>Import another file</Button>
          <Button look="primary" onClick={onClose}>
            Done
          </Button>
        </Actions>
      </>
    )
  }
  return (
    <>
      <p className="soft small">{columnsOf(kind)}</p>
      <FileDrop
        label={`File of ${kind}`}
        endings={fileEndings(kind)}
        isBusy={send.isPending}
        onFile={take}
      />
      {unfit !== null && (
        <Note kind="danger" alert>
          {unfit}
        </Note>
      )}
      <Problem error={send.error} />
    </>
  )
}
