import type { Person } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Badge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { Changing } from '../ui/changing.tsx'
import { RowMenu } from '../ui/table/RowMenu.tsx'
import { type Column, Table } from '../ui/table/Table.tsx'
import { Time } from '../ui/time/Time.tsx'
import type { EndingAct } from './EndAccess.tsx'
import { roleInWords } from './words.ts'

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
    {
      name: t('Actions'),
      actions: true,
      shows: true,
      cell: (each) => (
        <>
          <Button
            small
            look="quiet"
            aria-label={t('Sessions of {{name}}', { name: each.name })}
            onClick={() => onDo('sessions', each)}
          >
            {t('Sessions')}
          </Button>
          <Changing>
            <Acts person={each} onDo={onDo} />
          </Changing>
        </>
      ),
    },
  ]
  return (
    <Table
      label={t('People')}
      columns={columns}
      rows={rows}
      rowKey={({ id }) => id}
      isOff={({ disabled_at }) => disabled_at !== null}
    />
  )
}

function Acts({ person, onDo }: { person: Person; onDo: PeopleTableProps['onDo'] }) {
  const { name, disabled_at, is_linked } = person
  const item = (label: string, act: PersonAct, isDanger = false) => ({
    ...{ name: label, isDanger },
    onAction: () => onDo(act, person),
  })
  return (
    <>
      <Button
        small
        look="quiet"
        aria-label={t('Change role of {{name}}', { name })}
        onClick={() => onDo('role', person)}
      >
        {t('Role')}
      </Button>
      <RowMenu
        label={t('More for {{name}}', { name })}
        items={[
          item(t('Rename'), 'rename'),
          item(t('Password reset link'), 'reset'),
          ...(is_linked ? [item(t('Unlink single sign-on'), 'unlink', true)] : []),
          disabled_at === null ? item(t('Disable'), 'disable', true) : item(t('Enable'), 'enable'),
          item(t('Delete'), 'delete', true),
        ]}
      />
    </>
  )
}

function meansOf({ has_password, has_totp, is_linked }: Person): string {
  const password = has_totp ? t('Password and 2FA') : t('Password')
  const means = [...(has_password ? [password] : []), ...(is_linked ? [t('Single sign-on')] : [])]
  return means.length === 0 ? t('None yet') : means.join(', ')
}
