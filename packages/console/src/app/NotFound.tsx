import { ButtonLink } from '../ui/Button.tsx'
import { Empty } from '../ui/state/Empty.tsx'
import { useTitle } from './title.ts'

export function NotFound() {
  useTitle('Not found')
  return (
    <>
      <h1>Not found</h1>
      <Empty
        title="There is no such page"
        action={
          <ButtonLink to="/" look="primary">
            All organizations
          </ButtonLink>
        }
      >
        The address has a slip in it, or is one of an older version.
      </Empty>
    </>
  )
}
