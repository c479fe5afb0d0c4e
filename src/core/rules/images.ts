import type { FieldPath } from '../../api/field-path.ts';
import { forbidden, type Finding } from '../findings.ts';
import { isFrom } from './image-reference.ts';
import type { Rule, Subject } from './subject.ts';
import type { TemplateView } from './template-view.ts';

/** Images come from the registries of the installation, where it names any. */
export const images: Rule = {
  id: 'images',
  check({ policy, templates }: Subject): readonly Finding[] {
    const { imageRegistries } = policy;
    if (imageRegistries.length === 0) return [];
    return templates
      .flatMap(imagesOf)
      .filter(({ image }) => !isFrom(image, imageRegistries))
      .map(({ image, path }) =>
        forbidden({
          rule: images.id,
          path,
          value: image,
          message: `this installation admits images from ${imageRegistries.join(', ')} only`,
        }),
      );
  },
};

interface ImageView {
  readonly image: string;
  readonly path: FieldPath;
}

function imagesOf({ path, spec, allContainers }: TemplateView): readonly ImageView[] {
  const ofVolumes = (spec.volumes ?? []).map((volume, index) => ({
    image: volume.image?.reference,
    path: path.child('spec', 'volumes').index(index, volume.name).child('image', 'reference'),
  }));
  const ofContainers = allContainers.map((view) => ({
    image: view.container.image,
    path: view.path.child('image'),
  }));
  return [...ofContainers, ...ofVolumes].flatMap(({ image, path: at }) =>
    image ? [{ image, path: at }] : [],
  );
}
