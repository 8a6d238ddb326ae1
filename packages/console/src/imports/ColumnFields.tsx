import type { ImportPreview } from '../api/types.ts'
import { CheckField, SelectField, TextField } from '../ui/form/Field.tsx'
import { columnsOf, type PositionFile, SPEED_UNITS } from './position-options.ts'

type ColumnFieldsProps = {
  preview: ImportPreview
  given: PositionFile
  onChange: (given: PositionFile) => void
}

/** The column of each field as the server reads it, to be chosen anew, and the units of the file. */
export function ColumnFields({ preview, given, onChange }: ColumnFieldsProps) {
  const columns = columnsOf(preview)
  const needed = preview.fields.filter(({ required }) => required)
  const others = preview.fields.filter(({ required }) => !required)
  const column = ({ name }: ImportPreview['fields'][number]) => (
    <ColumnField
      key={name}
      name={name}
      preview={preview}
      columns={columns}
      onChoose={(chosen) => onChange({ ...given, mapping: { ...given.mapping, [name]: chosen } })}
    />
  )
  return (
    <>
      {columns.length > 0 && (
        <>
          <h3>Columns of the file</h3>
          <div className="import-columns">{needed.map(column)}</div>
          <details className="faults">
            <summary>More columns</summary>
            <div className="import-columns">{others.map(column)}</div>
          </details>
        </>
      )}
      <div className="import-columns">
        <SelectField
          label="Unit of speed"
          value={given.speedUnit}
          options={SPEED_UNITS}
          onChange={(speedUnit) => onChange({ ...given, speedUnit })}
        />
        <TextField
          label="Time zone of times without an offset"
          placeholder="that of each object"
          value={given.timezone}
          onChange={(timezone) => onChange({ ...given, timezone: timezone.trim() })}
        />
        <TextField
          label="Ident of all rows"
          placeholder="that of each row"
          value={given.ident}
          onChange={(ident) => onChange({ ...given, ident })}
        />
      </div>
      <CheckField
        label="Create an object for each unknown ident"
        value={given.createObjects}
        onChange={(createObjects) => onChange({ ...given, createObjects })}
      />
    </>
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
  const current = used[name] ?? guessed[name]
  const none = current === undefined ? ([['', 'no column']] as const) : []
  return (
    <SelectField
      label={name}
      value={current ?? ''}
      help={name in guessed ? 'recognized by its name' : undefined}
      options={[...none, ...columns.map((each) => [each, each] as const)]}
      onChange={onChoose}
    />
  )
}
