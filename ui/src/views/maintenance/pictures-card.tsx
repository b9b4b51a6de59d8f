import { useEffect, useState } from 'preact/hooks';
import type { DownloadPath, UploadPath } from '../../../../client/contract.ts';
import { until, useAction } from '../../app/actions.ts';
import { connection, useResource } from '../../app/device-state.ts';
import { Resource } from '../../app/resource.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { FailureText } from '../../parts/failure-text.tsx';
import { Row } from '../../parts/field.tsx';
import { FileDrop } from '../../parts/file-drop.tsx';
import { Loaded } from '../../parts/states.tsx';
import { faultOf, isSame, type PictureFault } from './picture-file.ts';

type SplashPath = Extract<DownloadPath & UploadPath, `/files/splash${string}`>;

/** A picture that the device shows by itself. */
interface Splash {
  readonly name: 'boot' | 'shutdown';
  readonly path: SplashPath;
  readonly picture: Resource<Uint8Array>;
}

const TIMEOUT_MS = 30_000;
const SPLASHES: readonly Splash[] = [
  { name: 'boot', path: '/files/splash', picture: pictureAt('/files/splash') },
  { name: 'shutdown', path: '/files/splash/shutdown', picture: pictureAt('/files/splash/shutdown') },
];

/** The picture that is shown now, whoever has set it: at shutdown it is that of the boot unless there is another one. */
function pictureAt(path: SplashPath): Resource<Uint8Array> {
  return new Resource(connection, {
    load: (client) => client.download(path),
    refreshOn: ['splash_changed'],
  });
}

/** The pictures at boot, on the waiting page and at shutdown: a logo, for example. */
export function PicturesCard() {
  return (
    <Card title={t('maintenance.pictures')}>
      <p class="soft">{t('maintenance.pictures_text')}</p>
      <div class="maintenance-pictures">
        {SPLASHES.map((splash) => (
          <Picture key={splash.name} splash={splash} />
        ))}
      </div>
    </Card>
  );
}

function Picture({ splash }: { splash: Splash }) {
  const { name, path, picture } = splash;
  useResource(picture);
  const [chosen, setChosen] = useState<File>();
  const [fault, setFault] = useState<PictureFault>();
  const remove = useAction({
    showsFailure: true,
    run: async () => {
      await connection.client.delete(path);
      await picture.refresh();
      const error = picture.error.peek();
      if (error !== undefined) throw error;
    },
    done: () => t('maintenance.picture_removed'),
  });
  const take = async (file: File) => {
    remove.forget();
    const found = await faultOf(file).catch((): PictureFault => 'not_png');
    setFault(found);
    setChosen(found === undefined ? file : undefined);
  };
  const title = t(`maintenance.picture_${name}`);
  return (
    <section class="stack" aria-label={title}>
      <h3>{title}</h3>
      <Loaded of={picture}>{(bytes) => <Preview bytes={bytes} alt={title} />}</Loaded>
      <FileDrop
        label={t('maintenance.picture_drop', { what: title })}
        hint={t('maintenance.picture_hint')}
        accept=".png,image/png"
        onFile={(file) => void take(file)}
      />
      <div role="alert" class="result">
        {fault && <p class="field-error">{t(`maintenance.picture_${fault}`)}</p>}
      </div>
      <Row>
        <Button
          icon="remove"
          busy={remove.busy.value}
          label={t('maintenance.picture_remove_what', { what: title })}
          onClick={() => void remove.start()}
        >
          {t('maintenance.picture_remove')}
        </Button>
        <CopyAs
          what={t('maintenance.picture_remove_what', { what: title })}
          sample={{ method: 'DELETE', path }}
        />
        <CopyAs
          what={t('maintenance.picture_use_what', { what: title })}
          sample={{ method: 'PUT', path, file: { name: 'picture.png', type: 'image/png' } }}
        />
      </Row>
      <FailureText failure={remove.failure.value} />
      {chosen && <Question splash={splash} title={title} file={chosen} close={() => setChosen(undefined)} />}
    </section>
  );
}

interface QuestionProps {
  splash: Splash;
  title: string;
  file: File;
  close: () => void;
}

/** Shows a new picture before it is sent. It is done when the device gives back the same bytes. */
function Question({ splash: { path, picture }, title, file, close }: QuestionProps) {
  const use = useAction({
    showsFailure: true,
    run: async () => {
      const bytes = new Uint8Array(await file.arrayBuffer());
      await connection.client.upload(path, file, { headers: { 'content-type': 'image/png' } });
      await picture.refresh();
      await until(() => isSame(picture.value.value, bytes), TIMEOUT_MS);
    },
    done: () => t('maintenance.picture_done'),
  });
  return (
    <Confirm title={title} confirm={t('maintenance.picture_use')} action={use} onClose={close}>
      <FilePreview file={file} />
      <p>{t('maintenance.picture_happens')}</p>
    </Confirm>
  );
}

function Preview({ bytes, alt }: { bytes: Uint8Array; alt: string }) {
  const [blob, setBlob] = useState<Blob>();
  useEffect(() => setBlob(new Blob([new Uint8Array(bytes)], { type: 'image/png' })), [bytes]);
  return <BlobImage blob={blob} alt={alt} />;
}

function FilePreview({ file }: { file: File }) {
  return <BlobImage blob={file} alt={file.name} />;
}

/** An image from bytes of this page, on the black of the screen. */
function BlobImage({ blob, alt }: { blob: Blob | undefined; alt: string }) {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    if (!blob) return;
    const made = URL.createObjectURL(blob);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  return <div class="maintenance-picture">{address && <img src={address} alt={alt} />}</div>;
}
