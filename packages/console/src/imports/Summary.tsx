import type { ImportKind } from '../../../server/src/base/domain/import-formats.ts'
import type { ImportSummary } from '../api/types.ts'
import { Figures } from '../ui/Figures.tsx'
import { count, counted } from '../ui/format.ts'
import { Note } from '../ui/state/Note.tsx'
import { labelOf, withoutAdvice } from './file-options.ts'

type Rows = ImportSummary['duplicates']

type SummaryProps = { kind: ImportKind; summary: ImportSummary }

/** Every row of the file is accounted for, and everything that the import does not take. */
export function Summary({ kind, summary }: SummaryProps) {
  const { rejected, conflict, stopped, truncated } = summary
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
                {kind === 'positions'
                  ? counted(summary.created, 'new object')
                  : `${count(summary.created)} new, ${count(summary.updated)} changed`}
              </small>
            </>,
          ],
          ['Already stored', count(summary.duplicate)],
          ['Contradicted', count(conflict)],
          ['Rejected', count(rejected)],
          ...omitted.map(
            ([thing, { count: left }]) => [`Left out: ${wordsOf(thing)}`, count(left)] as const,
          ),
        ]}
      />
      <Verdict kind={kind} summary={summary} />
      {stopped !== null && <Note kind="danger">The rest was not read: {stopped}</Note>}
      {truncated && <Note kind="warn">The file is cut off. Was it copied completely?</Note>}
      {summary.notes.map((note) => (
        <Note key={note}>{withoutAdvice(note)}</Note>
      ))}
      <Columns columns={summary.columns} />
      {Object.entries(summary.reasons).map(([reason, rows]) => (
        <Faults key={reason} title={`Rejected, ${wordsOf(reason)}`} rows={rows} open />
      ))}
      <Faults title="Contradicted by another row" rows={summary.conflicts} open />
      {omitted.map(([thing, rows]) => (
        <Faults key={thing} title={`Left out, ${wordsOf(thing)}`} rows={rows} open />
      ))}
      <Faults title="Already stored" rows={summary.duplicates} />
    </div>
  )
}

/** Whether all of the file is in, so that a part is never taken for the whole. */
function Verdict({ kind, summary }: SummaryProps) {
  const { read, accepted, duplicate, complete, stopped } = summary
  const omissions = Object.keys(summary.omitted).length
  if (complete && accepted > 0) {
    return (
      <Note kind="good">
        {omissions === 0
          ? 'All rows of the file were imported.'
          : `All ${kind} of the file were imported. Its other contents were left out, as listed below.`}
      </Note>
    )
  }
  if (complete) {
    if (read === 0) return null
    return <Note>Nothing was stored: all rows of the file were stored already.</Note>
  }
  if (read === 0) {
    return stopped === null ? (
      <Note kind="danger">The file has nothing that this import accepts.</Note>
    ) : null
  }
  const present = accepted + duplicate
  if (present === 0) return <Note kind="danger">Nothing was imported.</Note>
  if (present === read) return <Note kind="warn">Only a part of the file was imported.</Note>
  return (
    <Note kind="warn">
      {`Only a part of the file was imported: ${count(read - present)} of its ${counted(read, 'row')} ${read - present === 1 ? 'is' : 'are'} missing.`}
    </Note>
  )
}

function wordsOf(reason: string): string {
  return reason.replaceAll('_', ' ')
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
  const name = labelOf(field)
  return name === column ? name : `${name} from ${column}`
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
            <strong>Line {count(row.line)}</strong>: {withoutAdvice(row.detail)}
            <code>{row.text}</code>
          </li>
        ))}
        {more > 0 && <li className="soft">and {counted(more, 'more row', 'more rows')}</li>}
      </ul>
    </details>
  )
}
