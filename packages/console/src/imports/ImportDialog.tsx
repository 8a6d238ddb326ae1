import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import {
  DropZone,
  type DropZoneProps,
  FileTrigger,
  Button as PressButton,
  Text,
} from 'react-aria-components'
import { upload } from '../api/client.ts'
import type { ImportSummary } from '../api/types.ts'
import { announce } from '../ui/announce.ts'
import { Button } from '../ui/Button.tsx'
import { Actions, Dialog } from '../ui/Dialog.tsx'
import { Icon } from '../ui/Icon.tsx'
import { Note } from '../ui/Note.tsx'
import { Problem } from '../ui/Problem.tsx'
import { endingsOf, type ImportKind, typeOf } from './formats.ts'
import { Summary } from './Summary.tsx'
import './ImportDialog.css'

const COLUMNS: Record<ImportKind, string> = {
  objects:
    'A row for each object: ident and name, and whatever else is known, such as vin, plate_number or an accuracy setting. An existing ident is changed, not doubled.',
  geofences: 'Polygons with a name; description and color if there are any.',
  routes: 'Lines with a name; description, color and deviation (metres) if there are any.',
  sites: 'Points with a name; description, icon and radius (metres) if there are any.',
}

type ImportDialogProps = { organization: number; kind: ImportKind; onClose: () => void }

export function ImportDialog({ organization, kind, onClose }: ImportDialogProps) {
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
  const take = (file: File | undefined) => {
    if (file === undefined) return
    const type = typeOf(file, kind)
    setUnfit(type === undefined ? file.name : null)
    if (type !== undefined) send.mutate({ file, type })
  }
  return (
    <Dialog title={`Import ${kind}`} wide onClose={onClose}>
      {send.data === undefined ? (
        <>
          <p className="soft small">{COLUMNS[kind]}</p>
          <DropZone
            className="drop"
            aria-label={`File of ${kind}`}
            onDrop={async (event) => take(await fileOf(event))}
          >
            <Text slot="label">
              {send.isPending ? 'Importing…' : `Drop a file here: ${endingsOf(kind).join(', ')}`}
            </Text>
            <FileTrigger
              acceptedFileTypes={endingsOf(kind)}
              onSelect={(files) => take(files?.[0] ?? undefined)}
            >
              <PressButton className="button" isDisabled={send.isPending}>
                {send.isPending ? <span className="spinner" /> : <Icon name="upload" />}
                Choose a file
              </PressButton>
            </FileTrigger>
          </DropZone>
          {unfit !== null && (
            <Note kind="danger" alert>
              {unfit} cannot be taken: its name has to end in {endingsOf(kind).join(', ')}.
            </Note>
          )}
          <Problem error={send.error} />
        </>
      ) : (
        <>
          <Summary summary={send.data} />
          <Actions>
            <Button onClick={() => send.reset()}>Import another file</Button>
            <Button look="primary" onClick={onClose}>
              Done
            </Button>
          </Actions>
        </>
      )}
    </Dialog>
  )
}

type DropEvent = Parameters<NonNullable<DropZoneProps['onDrop']>>[0]

async function fileOf({ items }: DropEvent): Promise<File | undefined> {
  for (const item of items) {
    if (item.kind === 'file') return await item.getFile()
  }
  return undefined
}
