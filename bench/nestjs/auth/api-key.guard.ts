import {
  type CanActivate,
  type ExecutionContext,
  Injectable,
  UnauthorizedException,
} from '@nestjs/common'
import type { FastifyRequest } from 'fastify'
import { ApiKeyService } from './api-key.service.ts'
import type { AuthenticatedRequest } from './authenticated.ts'

const BEARER = /^bearer (\S+)$/i

@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(private readonly keys: ApiKeyService) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>()
    const secret = secretOf(request)
    const organization = secret === undefined ? null : await this.keys.findOrganization(secret)
    if (organization === null) throw new UnauthorizedException()
    request.organization = organization
    return true
  }
}

/** The key in exactly one of the two headers. */
function secretOf({ headers }: FastifyRequest): string | undefined {
  const key = headers['x-api-key']
  const token = BEARER.exec(headers.authorization ?? '')?.[1]
  if (key !== undefined && token !== undefined) return undefined
  return token ?? (Array.isArray(key) ? undefined : key)
}
