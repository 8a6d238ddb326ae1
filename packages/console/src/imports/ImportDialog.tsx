import { useState } from 'react'
import type { ImportKind } from '../../../server/src/base/domain/import-formats.ts'
import type { OrganizationSummary } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Dialog } from '../ui/dialog/Dialog.tsx'
import { Filters } from '../ui/Filters.tsx'
import { ChooseFile } from './ChooseFile.tsx'
import { IMPORTS, kindsFor } from './formats.ts'
import { ImportFile } from './ImportFile.tsx'
import { KeptMappings } from './KeptMappings.tsx'
import './ImportDialog.css'

type ImportDialogProps = {
  organization: OrganizationSummary
  /** Where objects are imported, their positions can be, too. */
  kind: Exclude<ImportKind, 'positions'>
  onClose: () => void
}

/** Files with objects or with their positions. */
const CONTENTS: [ImportKind, string][] = [
  ['objects', t('Objects')],
  ['positions', t('Positions')],
]

export function ImportDialog({ organization, kind, onClose }: ImportDialogProps) {
  const [chosen, setChosen] = useState<ImportKind>(kind)
  const [file, setFile] = useState<File | null>(null)
  const [isImporting, setImporting] = useState(false)
  return (
    <Dialog title={IMPORTS[chosen]} wide stays={isImporting} onClose={onClose}>
      {kind === 'objects' && !isImporting && (
        <Filters
          legend={t('File contents')}
          options={CONTENTS}
          value={chosen}
          onChange={setChosen}
        />
      )}
      {file !== null && kindsFor(file.name).includes(chosen) ? (
        <ImportFile
          key={chosen}
          organization={organization}
          kind={chosen}
          file={file}
          onKind={setChosen}
          onOther={() => setFile(null)}
          onImporting={setImporting}
          onClose={onClose}
        />
      ) : (
        <>
          <ChooseFile kind={chosen} unfit={file} onFile={setFile} onKind={setChosen} />
          <KeptMappings organization={organization.id} kind={chosen} />
        </>
      )}
    </Dialog>
  )
}
