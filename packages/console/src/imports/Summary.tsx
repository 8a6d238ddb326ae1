import type { ImportSummary } from '../api/types.ts'
import { Figures } from '../ui/Figures.tsx'
import { count, counted } from '../ui/format.ts'
import { Note } from '../ui/state/Note.tsx'

type Rows = ImportSummary['duplicates']

type SummaryProps = { summary: ImportSummary; isOfPositions?: boolean }

/** Every row of the file is accounted for. */
export function Summary({ summary, isOfPositions = false }: SummaryProps) {
  const { read, accepted, rejected, conflict, stopped, truncated, complete } = summary
  const omitted = Object.entries(summary.omitted)
  return (
    <div className="stack">
      <p>
        <strong>{summary.file}</strong>
      </p>
      <Figures
        items={[
          ['Rows read', count(summary.read)],
          [
            'Taken',
            <>
              {count(summary.accepted)}{' '}
              <small>
                {isOfPositions
                  ? counted(summary.created, 'new object')
                  : `${count(summary.created)} new, ${count(summary.updated)} changed`}
              </small>
            </>,
          ],
          ['The same already', count(summary.duplicate)],
          ['Contradicted', count(conflict)],
          ['Not taken', count(rejected)],
        ]}
      />
      {complete && accepted > 0 && <Note kind="good">All rows of the file are in.</Note>}
      {complete && accepted === 0 && read > 0 && (
        <Note>Nothing was stored: all rows of the file were there already.</Note>
      )}
      {!complete && read === 0 && stopped === null && (
        <Note kind="danger">The file has nothing that this import takes.</Note>
      )}
      {stopped !== null && <Note kind="danger">The rest was not read: {stopped}</Note>}
      {truncated && <Note kind="warn">The file is cut off. Was it copied completely?</Note>}
      {summary.notes.map((note) => (
        <Note key={note}>{note}</Note>
      ))}
      <Columns columns={summary.columns} />
      {Object.entries(summary.reasons).map(([reason, rows]) => (
        <Faults key={reason} title={`Not taken, ${reason.replaceAll('_', ' ')}`} rows={rows} open />
      ))}
      <Faults title="Contradicted by another row" rows={summary.conflicts} open />
      {omitted.map(([thing, rows]) => (
        <Faults key={thing} title={`Left out, ${thing.replaceAll('_', ' ')}`} rows={rows} open />
      ))}
      <Faults title="The same already" rows={summary.duplicates} />
    </div>
  )
}

/** How the columns of the file were read. */
function Columns({ columns: { used, guessed, ignored } }: Pick<ImportSummary, 'columns'>) {
  const lines = [
    ['Columns used', Object.entries(used).map(pair)],
    ['Recognized by their names', Object.entries(guessed).map(pair)],
    ['Not used', ignored],
  ] as const
  return (
    <ul className="small soft import-summary-columns">
      {lines.map(
        ([title, names]) =>
          names.length > 0 && (
            <li key={title}>
              {title}: {names.join(', ')}
            </li>
          ),
      )}
    </ul>
  )
}

function pair([field, column]: [string, string]): string {
  return field === column ? field : `${field} from ${column}`
}

function Faults({ title, rows, open = false }: { title: string; rows: Rows; open?: boolean }) {
  if (rows.count === 0) return null
  const more = rows.count - rows.first.length
  return (
    <details className="faults" open={open}>
      <summary>
        {title}: {counted(rows.count, 'row')}
      </summary>
      <ul>
        {rows.first.map((row) => (
          <li key={`${row.file} ${row.line}`}>
            <strong>Line {count(row.line)}</strong>: {row.detail}
            <code>{row.text}</code>
          </li>
        ))}
        {more > 0 && <li className="soft">and {counted(more, 'more row', 'more rows')}</li>}
      </ul>
    </details>
  )
}
