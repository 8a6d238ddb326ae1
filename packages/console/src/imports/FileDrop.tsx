import {
  DropZone,
  type DropZoneProps,
  FileTrigger,
  Button as PressButton,
  Text,
} from 'react-aria-components'
import { Icon } from '../ui/Icon.tsx'

type FileDropProps = {
  label: string
  /** File extensions, such as `.csv`. */
  endings: readonly string[]
  isBusy: boolean
  onFile: (file: File) => void
}

export function FileDrop({ label, endings, isBusy, onFile }: FileDropProps) {
  const take = (file: File | undefined) => {
    if (file !== undefined) onFile(file)
  }
  return (
    <DropZone
      className="drop"
      aria-label={label}
      onDrop={async (event) => take(await fileOf(event))}
    >
      <Text slot="label">{isBusy ? 'Importing…' : `Drop a file here: ${endings.join(', ')}`}</Text>
      <FileTrigger
        acceptedFileTypes={[...endings]}
        onSelect={(files) => take(files?.[0] ?? undefined)}
      >
        <PressButton className="button" isDisabled={isBusy}>
          {isBusy ? <span className="spinner" /> : <Icon name="upload" />}
          Choose a file
        </PressButton>
      </FileTrigger>
    </DropZone>
  )
}

type DropEvent = Parameters<NonNullable<DropZoneProps['onDrop']>>[0]

async function fileOf({ items }: DropEvent): Promise<File | undefined> {
  for (const item of items) {
    if (item.kind === 'file') return await item.getFile()
  }
  return undefined
}
