import type { ImportPreview } from '../api/types.ts'
import { t } from '../language/text.ts'
import { ChosenFields } from '../ui/form/ChosenFields.tsx'
import { listed } from '../ui/format.ts'
import { attributeColumnsOf, type FileOptions, keptAttributes } from './file-options.ts'

type AttributeColumnsProps = {
  preview: ImportPreview
  options: FileOptions
  onChange: (options: FileOptions) => void
}

/** The columns of a file of positions that fill no field, to be chosen as attributes. */
export function AttributeColumns({ preview, options, onChange }: AttributeColumnsProps) {
  const columns = attributeColumnsOf(preview, options)
  const kept = keptAttributes(preview, options)
  if (columns.length + kept.length === 0) return null
  const { length: chosen } = options.attributes
  return (
    <details className="faults">
      <summary>{chosen === 0 ? t('Attributes') : t('Attributes ({{chosen}})', { chosen })}</summary>
      <p className="field-help">
        {t(
          'Attributes are additional values from the tracker, such as fuel, temperature or driver. Each selected column is stored with the positions under the column name.',
        )}
      </p>
      {kept.length > 0 && (
        <p>
          {t('From saved settings: {{kept}}.', {
            kept: listed(kept),
          })}
        </p>
      )}
      {columns.length > 0 && (
        <ChosenFields
          legend={t('Attribute columns')}
          isLegendHidden
          className="import-columns"
          labels={Object.fromEntries(columns.map((column) => [column, column]))}
          chosen={options.attributes}
          onChange={(attributes) => onChange({ ...options, attributes })}
        />
      )}
    </details>
  )
}
