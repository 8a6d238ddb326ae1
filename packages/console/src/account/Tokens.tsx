import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { change, PREFIX } from '../api/client.ts'
import { useTokens } from '../api/queries.ts'
import type { IssuedToken, NewToken, Token } from '../api/types.ts'
import { ExpiryField } from '../keys/ExpiryField.tsx'
import { type Expiry, expiresAt, NEVER } from '../keys/expiry.ts'
import { Button } from '../ui/Button.tsx'
import { Confirm } from '../ui/Confirm.tsx'
import { CopyLine } from '../ui/Copy.tsx'
import { Actions, Dialog } from '../ui/Dialog.tsx'
import { TextField } from '../ui/Field.tsx'
import { Form } from '../ui/Form.tsx'
import { Loaded } from '../ui/Loaded.tsx'
import { Note } from '../ui/Note.tsx'
import { Table } from '../ui/Table.tsx'
import { Time } from '../ui/Time.tsx'
import { toast } from '../ui/Toast.tsx'
import { useUtc } from '../ui/time-zone.ts'

/** Tokens with which programs use what the console uses. */
export function Tokens({ onClose }: { onClose: () => void }) {
  const tokens = useTokens()
  const [issued, setIssued] = useState<IssuedToken | null>(null)
  const [deleting, setDeleting] = useState<Token | null>(null)
  const client = useQueryClient()
  if (issued !== null) return <TokenIssued issued={issued} onClose={() => setIssued(null)} />
  return (
    <Dialog title="Tokens for scripts" wide onClose={onClose}>
      <p className="soft">
        All that this console does, a program can do with a token:{' '}
        <a href={`${PREFIX}/openapi.json`} target="_blank" rel="noreferrer">
          the description of the API
        </a>
        . A token may do whatever you may, so give each program one of its own.
      </p>
      <Loaded query={tokens} lines={2}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="soft">No token stands.</p>
          ) : (
            <Table
              label="Tokens"
              rows={items}
              rowKey={({ id }) => id}
              columns={[
                { name: 'Name', cell: ({ name }) => name },
                {
                  name: 'Token',
                  cell: (each) => <code>{`${each.prefix}…${each.last_four}`}</code>,
                },
                { name: 'Last used', cell: (each) => <Time value={each.last_used_at} as="ago" /> },
                { name: 'Ends', cell: (each) => <Time value={each.expires_at} as="day" /> },
                {
                  name: 'Actions',
                  actions: true,
                  cell: (each) => (
                    <Button
                      small
                      look="remove"
                      aria-label={`Delete ${each.name}`}
                      onClick={() => setDeleting(each)}
                    >
                      Delete
                    </Button>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
      <IssueToken onIssued={setIssued} />
      {deleting !== null && (
        <Confirm
          title={`Delete the token ${deleting.name}?`}
          action="Delete token"
          onClose={() => setDeleting(null)}
          onConfirm={async () => {
            await change('DELETE', `/tokens/${deleting.id}`)
            await client.invalidateQueries({ queryKey: ['tokens'] })
            toast(`The token ${deleting.name} was deleted.`)
          }}
        >
          <p>Programs that use it are answered 401 from now on. This cannot be undone.</p>
        </Confirm>
      )}
    </Dialog>
  )
}

function IssueToken({ onIssued }: { onIssued: (issued: IssuedToken) => void }) {
  const client = useQueryClient()
  const [name, setName] = useState('')
  const [expiry, setExpiry] = useState<Expiry>(NEVER)
  const [tried, setTried] = useState(false)
  const [utc] = useUtc()
  const issue = useMutation({
    mutationFn: (body: NewToken) => change<IssuedToken>('POST', '/tokens', body),
    onSuccess: (issued) => {
      onIssued(issued)
      return client.invalidateQueries({ queryKey: ['tokens'] })
    },
  })
  return (
    <Form
      error={issue.error}
      fields={['name', 'expires_at']}
      onSubmit={() => {
        setTried(true)
        const ends = expiresAt(expiry, Date.now(), utc)
        if (name.trim() === '' || ends === undefined || issue.isPending) return
        issue.mutate({ name: name.trim(), expires_at: ends })
      }}
    >
      <div className="columns">
        <TextField
          label="Name of a new token"
          name="name"
          placeholder="Backup script"
          value={name}
          onChange={setName}
          error={tried && name.trim() === '' ? 'Name what it is for.' : undefined}
        />
        <ExpiryField value={expiry} onChange={setExpiry} tried={tried} />
      </div>
      <Actions>
        <Button type="submit" look="primary" busy={issue.isPending}>
          Issue token
        </Button>
      </Actions>
    </Form>
  )
}

function TokenIssued({ issued, onClose }: { issued: IssuedToken; onClose: () => void }) {
  return (
    <Dialog title={`Token ${issued.token.name}`} wide stays onClose={onClose}>
      <Note kind="warn">
        Copy it now. It is shown this once: only a digest of it is kept, so nobody can look it up
        later.
      </Note>
      <CopyLine label="Token" text={issued.secret} />
      <CopyLine
        label="curl line"
        text={`curl -H 'Authorization: Bearer ${issued.secret}' ${location.origin}${PREFIX}/organizations`}
      />
      <Actions>
        <Button look="primary" onClick={onClose}>
          I have copied it
        </Button>
      </Actions>
    </Dialog>
  )
}
