import type { Person } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Badge } from '../ui/Badge.tsx'
import type { RowAction } from '../ui/table/RowMenu.tsx'
import { type Column, Table } from '../ui/table/Table.tsx'
import { Time } from '../ui/time/Time.tsx'
import type { EndingAct } from './EndAccess.tsx'
import { roleInWords } from './role-texts.ts'

export type PersonAct = 'role' | 'rename' | 'enable' | 'reset' | 'sessions' | EndingAct

type PeopleTableProps = {
  organization: number | null
  rows: Person[]
  nameOf: (organization: number) => string
  onDo: (act: PersonAct, person: Person) => void
}

export function PeopleTable({ organization, rows, nameOf, onDo }: PeopleTableProps) {
  const columns: Column<Person>[] = [
    {
      name: t('Name'),
      cell: ({ name, email, disabled_at }) => (
        <div>
          {name} {disabled_at !== null && <Badge kind="warn">{t('Disabled')}</Badge>}
          <div className="soft small">{email}</div>
        </div>
      ),
    },
    {
      name: t('Role'),
      cell: ({ roles }) =>
        roles.length === 0 ? (
          <span className="soft">–</span>
        ) : (
          roles.map((each) => (
            <div key={`${each.role} ${each.organization} ${each.is_from_sign_on}`}>
              {roleInWords(each, organization, nameOf)}
              {each.is_from_sign_on && ` (${t('single sign-on')})`}
            </div>
          ))
        ),
    },
    { name: t('Sign-in methods'), cell: (each) => meansOf(each) },
    {
      name: t('Last sign-in'),
      cell: ({ last_sign_in_at }) => <Time value={last_sign_in_at} as="ago" />,
    },
  ]
  return (
    <Table
      label={t('People')}
      columns={columns}
      rows={rows}
      rowKey={({ id }) => id}
      isOff={({ disabled_at }) => disabled_at !== null}
      menu={(person) => ({
        label: t('Actions for {{name}}', { name: person.name }),
        items: actionsOf(person, onDo),
      })}
    />
  )
}

function actionsOf(person: Person, onDo: PeopleTableProps['onDo']): RowAction[] {
  const action = (name: string, act: PersonAct, more: Partial<RowAction> = {}) => ({
    ...{ name, ...more },
    onAction: () => onDo(act, person),
  })
  const ends = { isDanger: true }
  return [
    action(t('Sessions'), 'sessions', { shows: true }),
    action(t('Change role'), 'role'),
    action(t('Rename'), 'rename'),
    action(t('Reset password'), 'reset'),
    ...(person.is_linked ? [action(t('Unlink single sign-on'), 'unlink', ends)] : []),
    person.disabled_at === null
      ? action(t('Disable'), 'disable', ends)
      : action(t('Enable'), 'enable'),
    action(t('Delete'), 'delete', ends),
  ]
}

function meansOf({ has_password, has_totp, is_linked }: Person): string {
  const password = has_totp ? t('Password and 2FA') : t('Password')
  const means = [...(has_password ? [password] : []), ...(is_linked ? [t('Single sign-on')] : [])]
  return means.length === 0 ? t('None yet') : means.join(', ')
}
