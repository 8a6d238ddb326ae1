import { useState } from 'react'
import type { OrganizationSummary } from '../api/types.ts'
import { Dialog } from '../ui/dialog/Dialog.tsx'
import type { ImportKind } from './formats.ts'
import { ImportItems } from './ImportItems.tsx'
import { ImportPositions } from './ImportPositions.tsx'
import './ImportDialog.css'

type ImportDialogProps = {
  organization: OrganizationSummary
  /** Where objects are imported, their positions can be, too. */
  kind: Exclude<ImportKind, 'positions'>
  onClose: () => void
}

export function ImportDialog({ organization, kind, onClose }: ImportDialogProps) {
  const [chosen, setChosen] = useState<ImportKind>(kind)
  const [isImporting, setImporting] = useState(false)
  return (
    <Dialog title={`Import ${chosen}`} wide stays={isImporting} onClose={onClose}>
      {kind === 'objects' && !isImporting && (
        <fieldset className="filters">
          <legend className="visually-hidden">The file has</legend>
          {(['objects', 'positions'] as const).map((each) => (
            <button
              key={each}
              type="button"
              aria-pressed={chosen === each}
              onClick={() => setChosen(each)}
            >
              {each === 'objects' ? 'Objects' : 'Positions'}
            </button>
          ))}
        </fieldset>
      )}
      {chosen === 'positions' ? (
        <ImportPositions organization={organization} onImporting={setImporting} onClose={onClose} />
      ) : (
        <ImportItems organization={organization.id} kind={chosen} onClose={onClose} />
      )}
    </Dialog>
  )
}
