import { imageFile } from '../image.ts';

/** Makes the image of the migrated embedded database, unless it is cached: every process of the tests that finds none makes its own. */
await imageFile();
