import type { ReactNode } from 'react'
import { useLocation } from 'wouter'
import { t } from '../language/text.ts'
import { Button } from '../ui/Button.tsx'
import { LoadFailure } from '../ui/page/LoadFailure.tsx'
import { Empty } from '../ui/state/Empty.tsx'
import { Skeleton } from '../ui/state/Skeleton.tsx'
import './Loading.css'

/** While the program of a page is loaded. That is short, so it shows nothing at first. */
export function Loading() {
  return (
    <div className="loading">
      <Skeleton />
    </div>
  )
}

/** Shown where the program of a page could not be loaded. */
export function PageFailure({ children }: { children: ReactNode }) {
  const [path] = useLocation()
  const failed = (
    <Empty
      title={t('This page could not be loaded')}
      action={
        <Button look="primary" onClick={() => location.reload()}>
          {t('Reload')}
        </Button>
      }
    >
      {t('The server does not respond, or it was updated.')}
    </Empty>
  )
  return (
    <LoadFailure path={path} failed={failed}>
      {children}
    </LoadFailure>
  )
}
