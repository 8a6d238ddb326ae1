import type { ImportKind } from '../../../server/src/base/domain/import-formats.ts'
import type { ImportPreview } from '../api/types.ts'
import { t } from '../language/text.ts'
import { ComboField, SelectField } from '../ui/form/Field.tsx'
import { AttributeColumns } from './AttributeColumns.tsx'
import { columnsOf, type FileOptions, labelOf, SPEED_UNITS } from './file-options.ts'
import { hasColumns } from './formats.ts'

type ColumnFieldsProps = {
  kind: ImportKind
  preview: ImportPreview
  /** The idents of the organization's objects. */
  idents: readonly string[]
  options: FileOptions
  onChange: (options: FileOptions) => void
}

/** The column of each field as the server reads it, to be chosen by hand, and the units of the file. */
export function ColumnFields({ kind, preview, idents, options, onChange }: ColumnFieldsProps) {
  const columns = columnsOf(preview)
  const needed = preview.fields.filter(({ required }) => required)
  const others = preview.fields.filter(({ required }) => !required)
  const column = ({ name }: ImportPreview['fields'][number]) => (
    <ColumnField
      key={name}
      name={name}
      preview={preview}
      columns={columns}
      onChoose={(chosen) =>
        onChange({ ...options, mapping: { ...options.mapping, [name]: chosen } })
      }
    />
  )
  return (
    <>
      {columns.length > 0 && (
        <>
          <h3>{t('Columns of the file')}</h3>
          <div className="import-columns">{needed.map(column)}</div>
          <details className="faults">
            <summary>{t('More columns')}</summary>
            <div className="import-columns">{others.map(column)}</div>
          </details>
        </>
      )}
      {kind === 'positions' && hasColumns(preview.file) && (
        <AttributeColumns {...{ preview, options, onChange }} />
      )}
      {kind === 'positions' && (
        <PositionFields idents={idents} options={options} onChange={onChange} />
      )}
    </>
  )
}

function PositionFields({
  idents,
  options,
  onChange,
}: Pick<ColumnFieldsProps, 'idents' | 'options' | 'onChange'>) {
  return (
    <div className="import-columns">
      <SelectField
        label={t('Speed unit')}
        value={options.speedUnit}
        options={SPEED_UNITS}
        onChange={(speedUnit) => onChange({ ...options, speedUnit })}
      />
      <ComboField
        label={t('Assign all rows to')}
        placeholder={t('The ident in each row')}
        help={t('Choose a vehicle if all rows belong to it.')}
        options={idents}
        value={options.ident}
        onChange={(ident) => onChange({ ...options, ident })}
      />
    </div>
  )
}

type ColumnFieldProps = {
  name: string
  preview: ImportPreview
  columns: readonly string[]
  onChoose: (column: string) => void
}

function ColumnField({ name, preview, columns, onChoose }: ColumnFieldProps) {
  const { used, guessed } = preview.columns
  const isUnclear = preview.rivals?.field === name
  const current = isUnclear ? undefined : (used[name] ?? guessed[name])
  const none = current === undefined ? ([['', t('No column')]] as const) : []
  return (
    <SelectField
      label={labelOf(name)}
      value={current ?? ''}
      help={name in guessed && !isUnclear ? t('Recognized by name') : undefined}
      options={[...none, ...columns.map((each) => [each, each] as const)]}
      onChange={onChoose}
    />
  )
}
