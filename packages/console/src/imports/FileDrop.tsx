import {
  DropZone,
  type DropZoneProps,
  FileTrigger,
  Button as PressButton,
  Text,
} from 'react-aria-components'
import { t } from '../language/text.ts'
import { Icon } from '../ui/Icon.tsx'
import { ENDINGS } from './formats.ts'

type FileDropProps = {
  label: string
  /** The endings of the files that this import takes, such as `.csv`. A file for another import can be chosen as well. */
  endings: readonly string[]
  onFile: (file: File) => void
}

export function FileDrop({ label, endings, onFile }: FileDropProps) {
  const take = (file: File | undefined) => {
    if (file !== undefined) onFile(file)
  }
  return (
    <DropZone
      className="drop"
      aria-label={label}
      onDrop={async (event) => take(await fileOf(event))}
    >
      <Text slot="label">{t('Drop a file here ({{value}})', { value: endings.join(', ') })}</Text>
      <FileTrigger acceptedFileTypes={ENDINGS} onSelect={(files) => take(files?.[0] ?? undefined)}>
        <PressButton className="button">
          <Icon name="upload" />
          {t('Choose a file')}
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
