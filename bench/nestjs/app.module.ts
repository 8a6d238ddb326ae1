import { type DynamicModule, Module } from '@nestjs/common'
import { APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core'
import { ThrottlerModule } from '@nestjs/throttler'
import { TypeOrmModule } from '@nestjs/typeorm'
import { ApiKey } from './auth/api-key.entity.ts'
import { ApiKeyGuard } from './auth/api-key.guard.ts'
import { ApiKeyService } from './auth/api-key.service.ts'
import { Organization } from './auth/organization.entity.ts'
import { OrganizationThrottlerGuard } from './auth/organization-throttler.guard.ts'
import { EnvelopeInterceptor } from './envelope.interceptor.ts'
import { ObjectsController } from './objects/objects.controller.ts'
import { ObjectsService } from './objects/objects.service.ts'
import { TrackedObject } from './objects/tracked-object.entity.ts'
import { Position } from './positions/position.entity.ts'
import { PositionsController } from './positions/positions.controller.ts'
import { PositionsService } from './positions/positions.service.ts'
import { UsageService } from './usage/usage.service.ts'
import { UsageCounter } from './usage/usage-counter.entity.ts'

/** The entities' tables lie in a schema of their own, which is there. */
const SCHEMA = 'nestjs'
const ENTITIES = [ApiKey, Organization, TrackedObject, Position, UsageCounter]

@Module({})
class AppModule {}

export function appModule(url: string): DynamicModule {
  return {
    module: AppModule,
    imports: [
      TypeOrmModule.forRoot({
        type: 'postgres',
        url,
        schema: SCHEMA,
        entities: ENTITIES,
        // The tables are made by the first start, and filled after it.
        synchronize: true,
      }),
      TypeOrmModule.forFeature(ENTITIES),
      // Without a time of blocking, what is counted is a window that slides.
      ThrottlerModule.forRoot([{ limit: 10, ttl: 10_000, blockDuration: 0 }]),
    ],
    controllers: [ObjectsController, PositionsController],
    providers: [
      ApiKeyService,
      ObjectsService,
      PositionsService,
      UsageService,
      { provide: APP_GUARD, useClass: ApiKeyGuard },
      { provide: APP_GUARD, useClass: OrganizationThrottlerGuard },
      { provide: APP_INTERCEPTOR, useClass: EnvelopeInterceptor },
    ],
  }
}
