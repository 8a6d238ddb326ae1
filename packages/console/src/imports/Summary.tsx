import type { ImportKind } from '../../../server/src/base/domain/import-formats.ts'
import type { ImportSummary } from '../api/types.ts'
import { said } from '../language/said.ts'
import { t } from '../language/text.ts'
import { Figures } from '../ui/Figures.tsx'
import { count } from '../ui/format.ts'
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
          [t('Rows read'), count(summary.read)],
          [
            t('Imported'),
            <>
              {count(summary.accepted)}{' '}
              <small>
                {kind === 'positions'
                  ? t('{{count, number}} new objects', { count: summary.created })
                  : t('{{created}} new, {{updated}} changed', {
                      created: count(summary.created),
                      updated: count(summary.updated),
                    })}
              </small>
            </>,
          ],
          [t('Already stored'), count(summary.duplicate)],
          [t('Conflicts'), count(conflict)],
          [t('Rejected'), count(rejected)],
          ...omitted.map(
            ([thing, { count: left }]) =>
              [t('Skipped: {{thing}}', { thing: wordsOf(thing) }), count(left)] as const,
          ),
        ]}
      />
      <Verdict summary={summary} />
      {stopped !== null && (
        <Note kind="danger">
          {t('The rest of the file was not read: {{stopped}}', { stopped: said(stopped) })}
        </Note>
      )}
      {truncated && (
        <Note kind="warn">{t('The file is incomplete. Check that it was copied completely.')}</Note>
      )}
      {summary.notes.map((note) => (
        <Note key={note}>{said(withoutAdvice(note))}</Note>
      ))}
      <Columns columns={summary.columns} />
      {Object.entries(summary.reasons).map(([reason, rows]) => (
        <Faults
          key={reason}
          title={t('Rejected ({{reason}})', { reason: wordsOf(reason) })}
          rows={rows}
          open
        />
      ))}
      <Faults title={t('Conflict with another row')} rows={summary.conflicts} open />
      {omitted.map(([thing, rows]) => (
        <Faults
          key={thing}
          title={t('Skipped ({{thing}})', { thing: wordsOf(thing) })}
          rows={rows}
          open
        />
      ))}
      <Faults title={t('Already stored')} rows={summary.duplicates} />
    </div>
  )
}

/** Whether all of the file is in, so that a part is never taken for the whole. */
function Verdict({ summary }: Pick<SummaryProps, 'summary'>) {
  const { read, accepted, duplicate, complete, stopped } = summary
  const omissions = Object.keys(summary.omitted).length
  if (complete && accepted > 0) {
    return (
      <Note kind="good">
        {omissions === 0
          ? t('All rows of the file were imported.')
          : t(
              'Everything that this import takes was imported. The other contents of the file were left out, as listed below.',
            )}
      </Note>
    )
  }
  if (complete) {
    if (read === 0) return null
    return <Note>{t('No new rows: all rows in the file were already stored.')}</Note>
  }
  if (read === 0) {
    return stopped === null ? (
      <Note kind="danger">{t('The file contains nothing that this import accepts.')}</Note>
    ) : null
  }
  const present = accepted + duplicate
  if (present === 0) return <Note kind="danger">{t('Nothing was imported.')}</Note>
  if (present === read) return <Note kind="warn">{t('Only part of the file was imported.')}</Note>
  return (
    <Note kind="warn">
      {t('Only part of the file was imported: {{count, number}} of {{read}} rows are missing.', {
        count: read - present,
        read: count(read),
      })}
    </Note>
  )
}

function wordsOf(reason: string): string {
  return said(reason.replaceAll('_', ' '))
}

/** How the columns of the file were read. */
function Columns({ columns: { used, guessed, ignored } }: Pick<ImportSummary, 'columns'>) {
  const lines = [
    [t('Columns used'), Object.entries(used).map(pair)],
    [t('Recognized by their names'), Object.entries(guessed).map(pair)],
    [t('Not used'), ignored],
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
  return name === column ? name : t('{{name}} from {{column}}', { name, column })
}

function Faults({ title, rows, open = false }: { title: string; rows: Rows; open?: boolean }) {
  if (rows.count === 0) return null
  const more = rows.count - rows.first.length
  return (
    <details className="faults" open={open}>
      <summary>
        {title}: {t('{{count, number}} rows', { count: rows.count })}
      </summary>
      <ul>
        {rows.first.map((row) => (
          <li key={`${row.file} ${row.line}`}>
            <strong>{t('Line {{line}}', { line: row.line })}</strong>:{' '}
            {said(withoutAdvice(row.detail))}
            <code>{row.text}</code>
          </li>
        ))}
        {more > 0 && (
          <li className="soft">{t('and {{count, number}} more rows', { count: more })}</li>
        )}
      </ul>
    </details>
  )
}
