import type { HeldRole, Person } from '../api/types.ts'
import { Badge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { Changing } from '../ui/changing.tsx'
import { type Column, Table } from '../ui/table/Table.tsx'
import { Time } from '../ui/time/Time.tsx'
import { ROLE_NAMES } from './words.ts'

export type Deed = 'role' | 'disable' | 'enable' | 'reset' | 'sessions'

type PeopleTableProps = {
  organization: number | null
  rows: Person[]
  nameOf: (organization: number) => string
  onDo: (deed: Deed, person: Person) => void
}

export function PeopleTable({ organization, rows, nameOf, onDo }: PeopleTableProps) {
  const columns: Column<Person>[] = [
    {
      name: 'Name',
      cell: ({ name, email, disabled_at }) => (
        <div>
          {name} {disabled_at !== null && <Badge kind="warn">Disabled</Badge>}
          <div className="soft small">{email}</div>
        </div>
      ),
    },
    {
      name: 'Role',
      cell: ({ roles }) =>
        roles.length === 0 ? (
          <span className="soft">none</span>
        ) : (
          roles.map((each) => (
            <div key={`${each.role} ${each.organization} ${each.is_from_sign_on}`}>
              {roleInWords(each, organization, nameOf)}
            </div>
          ))
        ),
    },
    { name: 'Signs in with', cell: (each) => meansOf(each) },
    {
      name: 'Last sign-in',
      cell: ({ last_sign_in_at }) => <Time value={last_sign_in_at} as="ago" />,
    },
    {
      name: 'Actions',
      actions: true,
      shows: true,
      cell: (each) => (
        <>
          <Button
            small
            look="quiet"
            aria-label={`Sessions of ${each.name}`}
            onClick={() => onDo('sessions', each)}
          >
            Sessions
          </Button>
          <Changing>
            <Deeds person={each} onDo={onDo} />
          </Changing>
        </>
      ),
    },
  ]
  return (
    <Table
      label="People"
      columns={columns}
      rows={rows}
      rowKey={({ id }) => id}
      isOff={({ disabled_at }) => disabled_at !== null}
    />
  )
}

function Deeds({ person, onDo }: { person: Person; onDo: PeopleTableProps['onDo'] }) {
  const { name, disabled_at } = person
  const turn = disabled_at === null ? 'disable' : 'enable'
  return (
    <>
      <Button
        small
        look="quiet"
        aria-label={`Change role of ${name}`}
        onClick={() => onDo('role', person)}
      >
        Role
      </Button>
      <Button
        small
        look="quiet"
        aria-label={`Reset password of ${name}`}
        onClick={() => onDo('reset', person)}
      >
        Reset
      </Button>
      <Button
        small
        look={turn === 'disable' ? 'remove' : 'quiet'}
        aria-label={`${turn === 'disable' ? 'Disable' : 'Enable'} ${name}`}
        onClick={() => onDo(turn, person)}
      >
        {turn === 'disable' ? 'Disable' : 'Enable'}
      </Button>
    </>
  )
}

/** In the list of an organization, all roles are in it. */
function roleInWords(
  { role, organization, is_from_sign_on }: HeldRole,
  listed: number | null,
  nameOf: (organization: number) => string,
): string {
  const where = organization === null || listed !== null ? '' : ` of ${nameOf(organization)}`
  return `${ROLE_NAMES[role]}${where}${is_from_sign_on ? ' (by single sign-on)' : ''}`
}

function meansOf({ has_password, has_totp, is_linked }: Person): string {
  const password = has_totp ? 'password and code' : 'password'
  const means = [...(has_password ? [password] : []), ...(is_linked ? ['single sign-on'] : [])]
  return means.length === 0 ? 'nothing yet' : means.join(', ')
}
