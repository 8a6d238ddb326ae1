import { change } from '../api/client.ts'
import type { WayOut } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Confirm } from '../ui/dialog/Confirm.tsx'
import { ENDING_NAMES, nameOf } from './kinds.ts'

type Ending = {
  title: string
  text: string
  done: string
  request: (at: string) => Promise<unknown>
}

function endingOf(way: WayOut): Ending {
  const { kind, id } = way
  const name = nameOf(way)
  const revoked = {
    title: t('Revoke {{name}}?', { name }),
    done: t('{{name}} was revoked.', { name }),
  }
  switch (kind) {
    case 'link':
      return {
        ...revoked,
        text: t('The page of the link ends within a second, even where it is open.'),
        request: (at) => change('POST', `${at}/links/${id}/revoke`),
      }
    case 'key':
      return {
        ...revoked,
        text: t('Programs that use this key will get 401 on their next request.'),
        request: (at) => change('POST', `${at}/keys/${id}/revoke`),
      }
    case 'webhook':
      return {
        title: t('Turn off {{name}}?', { name }),
        text: t('The server stops sending to this address. The receiver keeps what it has got.'),
        done: t('The webhook is off.'),
        request: (at) => change('PATCH', `${at}/webhooks/${id}`, { on: false }),
      }
    case 'person':
      return {
        title: t('End access for {{name}}?', { name }),
        text: t(
          'The person loses the role in this organization. Roles from single sign-on are kept.',
        ),
        done: t('{{name}}’s role was changed.', { name }),
        request: (at) => change('PATCH', `${at}/people/${id}`, { role: null }),
      }
    case 'token':
      return {
        ...revoked,
        text: t(
          'Programs that use it get 401 from now on. Tokens issued with it are revoked too. This cannot be undone.',
        ),
        request: (at) => change('DELETE', `${at}/tokens/${id}`),
      }
  }
}

type EndSharingProps = { organization: number; way: WayOut; onClose: () => void }

/** Asks before it ends a way in which data leave the organization. */
export function EndSharing({ organization, way, onClose }: EndSharingProps) {
  const { title, text, done, request } = endingOf(way)
  return (
    <Confirm
      title={title}
      action={ENDING_NAMES[way.kind]}
      onClose={onClose}
      onConfirm={() => request(`/organizations/${organization}`)}
      refreshes={[['organization', organization], ['people'], ['tokens'], ['session']]}
      done={done}
    >
      <p>{text}</p>
    </Confirm>
  )
}
