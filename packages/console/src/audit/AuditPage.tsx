import { Link } from 'wouter'
import { useAudit, useOrganizations, usePeople } from '../api/queries.ts'
import type { Audit, OrganizationSummary } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Button } from '../ui/Button.tsx'
import { useTitle } from '../ui/page/title.ts'
import { Empty } from '../ui/state/Empty.tsx'
import { Loaded } from '../ui/state/Loaded.tsx'
import { type Column, Table } from '../ui/table/Table.tsx'
import { Time } from '../ui/time/Time.tsx'
import { actionInWords } from './actions.ts'
import { actorInWords, changesOf, isInstant, plain, valueInWords } from './audit-texts.ts'
import './AuditPage.css'

type Entry = Audit['items'][number]

/** All that was changed here. */
export function AuditPage() {
  useTitle(t('Audit log'))
  const organizations = useOrganizations('')
  const names = new Map(organizations.data?.items.map(({ id, name }) => [id, name]))
  const people = new Map(usePeople(null).data?.items.map(({ id, email }) => [id, email]))
  return (
    <>
      <div>
        <h1>{t('Audit log')}</h1>
        <p className="soft small">
          {t('All changes made in the console, by scripts and on the command line.')}
        </p>
      </div>
      <Entries
        organization={null}
        people={people}
        more={{
          name: t('Organization'),
          cell: ({ organization: id }) => {
            if (id === null) return <span className="soft">{t('The deployment')}</span>
            const name = names.get(id)
            return name === undefined ? (
              <span className="soft">{t('No. {{id}}, deleted', { id })}</span>
            ) : (
              <Link href={`/organizations/${id}/audit`}>{name}</Link>
            )
          },
        }}
      />
    </>
  )
}

export function OrganizationAudit({ organization }: { organization: OrganizationSummary }) {
  useTitle(t('Audit log'), organization.name)
  return (
    <>
      <h1>{t('Audit log')}</h1>
      <Entries organization={organization.id} />
    </>
  )
}

type EntriesProps = {
  organization: number | null
  /** The addresses of people by their ids. */
  people?: ReadonlyMap<number, string>
  more?: Column<Entry>
}

const NOBODY: ReadonlyMap<number, string> = new Map()

function Entries({ organization, people = NOBODY, more }: EntriesProps) {
  const audit = useAudit(organization)
  const columns: Column<Entry>[] = [
    { name: t('Action'), cell: ({ action }) => actionInWords(action) },
    {
      name: t('Target'),
      breaks: true,
      cell: (entry) => <Subject entry={entry} people={people} />,
    },
    ...(more === undefined ? [] : [more]),
    { name: t('Changes'), breaks: true, cell: ({ changes }) => <Changes changes={changes} /> },
    { name: t('Actor'), breaks: true, cell: ({ actor }) => <Actor actor={actor} /> },
    { name: t('When'), fit: true, cell: ({ at }) => <Time value={at} as="second" /> },
  ]
  return (
    <Loaded query={audit} lines={6}>
      {({ pages }) => {
        const rows = pages.flatMap(({ items }) => items)
        if (rows.length === 0) {
          return (
            <Empty title={t('No changes yet')}>
              {t(
                'Every change appears here, with the old and the new value, who made it, and when.',
              )}
            </Empty>
          )
        }
        return (
          <>
            <Table label={t('Audit log')} columns={columns} rows={rows} rowKey={({ id }) => id} />
            {audit.hasNextPage && (
              <div className="row">
                <Button busy={audit.isFetchingNextPage} onClick={() => audit.fetchNextPage()}>
                  {t('Show older entries')}
                </Button>
              </div>
            )}
          </>
        )
      }}
    </Loaded>
  )
}

/** A vehicle leads to its page. */
function Subject({ entry, people }: { entry: Entry; people: ReadonlyMap<number, string> }) {
  const { action, organization, target } = entry
  const subject = subjectOf(entry, people)
  const isVehicle = /^object\.(?!delete)|^positions\.recompute$/.test(action)
  if (!isVehicle || organization === null || target === null) return subject
  return <Link href={`/organizations/${organization}/objects/${target}`}>{subject}</Link>
}

function subjectOf({ action, name, target }: Entry, people: ReadonlyMap<number, string>): string {
  if (name !== null || target === null) return name ?? ''
  const person = /^(?:session|person)\./.test(action) ? people.get(target) : undefined
  return person ?? t('No. {{target}}', { target })
}

function Actor({ actor }: { actor: string }) {
  const { name, detail } = actorInWords(actor)
  return (
    <div>
      {name}
      {detail !== '' && <div className="soft small">{detail}</div>}
    </div>
  )
}

function Changes({ changes }: { changes: Record<string, unknown> | null }) {
  const list = changesOf(changes)
  if (list.length === 0) return null
  return (
    <ul className="changes">
      {list.map(({ name, from, to, only }) => (
        <li key={name}>
          {plain(name)}:{' '}
          {only ? (
            <Value value={to} />
          ) : (
            <>
              <del>
                <Value value={from} />
              </del>
              <span aria-hidden="true"> → </span>
              <span className="visually-hidden">{t('became')}</span>
              <ins>
                <Value value={to} />
              </ins>
            </>
          )}
        </li>
      ))}
    </ul>
  )
}

function Value({ value }: { value: unknown }) {
  return isInstant(value) ? <Time value={value} as="minute" /> : valueInWords(value)
}
