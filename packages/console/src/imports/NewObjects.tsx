import type { ImportPreview } from '../api/types.ts'
import { t } from '../language/text.ts'
import { CheckField } from '../ui/form/Field.tsx'
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
  const first = unknown.slice(0, SHOWN_IDENTS).join(', ')
  const others = unknown.length - SHOWN_IDENTS
  const shown = others > 0 ? t('{{first}} and {{others}} more', { first, others }) : first
  return (
    <>
      {unknown.length > 0 && !value && (
        <Note kind="warn">
          {t(
            '{{count, number}} objects in the first rows do not exist yet: {{shown}}. Their rows will not be stored unless the import creates the objects.',
            { count: unknown.length, shown },
          )}
        </Note>
      )}
      <CheckField
        label={t('Create an object for each unknown ident')}
        help={unknown.length > 0 && value ? t('New: {{shown}}', { shown }) : undefined}
        value={value}
        onChange={onChange}
      />
    </>
  )
}
