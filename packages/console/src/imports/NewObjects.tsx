import type { ImportPreview } from '../api/types.ts'
import { CheckField } from '../ui/form/Field.tsx'
import { counted } from '../ui/format.ts'
import { Note } from '../ui/state/Note.tsx'

const SHOWN_IDENTS = 5

type NewObjectsProps = {
  preview: ImportPreview
  /** The idents of the organization's objects. */
  idents: readonly string[]
  value: boolean
  onChange: (createObjects: boolean) => void
}

/** Whether the import of positions creates the objects that the organization does not have. */
export function NewObjects({ preview, idents, value, onChange }: NewObjectsProps) {
  const known = new Set(idents)
  const found = preview.rows.flatMap(({ values }) =>
    typeof values?.ident === 'string' ? [values.ident] : [],
  )
  const unknown = [...new Set(found)].filter((ident) => !known.has(ident))
  const shown = unknown.slice(0, SHOWN_IDENTS).join(', ')
  const more = unknown.length > SHOWN_IDENTS ? ` and ${unknown.length - SHOWN_IDENTS} more` : ''
  return (
    <>
      {unknown.length > 0 && !value && (
        <Note kind="warn">
          {`${counted(unknown.length, 'object')} of the first rows ${unknown.length === 1 ? 'does' : 'do'} not exist yet: ${shown}${more}. Their rows will not be stored, unless you have the import create them.`}
        </Note>
      )}
      <CheckField
        label="Create an object for each unknown ident"
        help={unknown.length > 0 && value ? `New: ${shown}${more}` : undefined}
        value={value}
        onChange={onChange}
      />
    </>
  )
}
