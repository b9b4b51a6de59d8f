/** The view "Content". */
export const content = {
  'content.title': 'Content',
  'content.upload_title': 'Add content',
  'content.drop': 'Drop a folder or a zip archive here',
  'content.drop_hint':
    'It needs a page index.html, which is shown first. A folder is packed by this browser.',
  'content.choose_folder': 'Choose a folder',
  'content.reading': 'Looking at the files',
  'content.nothing': 'There are no files in it. Choose a folder with a page index.html, or a zip archive.',
  'content.unreadable':
    'This browser cannot read {path}. Check that the file still exists and may be opened, then choose it again.',
  'content.too_many':
    'The folder has too many files to be packed by this browser. Pack it with a zip program, and choose the archive.',
  'content.too_large':
    'The folder is too large to be packed by this browser. Pack it with a zip program, and choose the archive.',
  'content.chosen': 'Chosen content',
  'content.ready': 'Ready to upload',
  'content.not_ready': 'This cannot be uploaded yet',
  'content.some_files': 'Files',
  'content.files_one': '{count} file',
  'content.files_other': '{count} files',
  'content.left_out_one': '{count} hidden file is left out',
  'content.left_out_other': '{count} hidden files are left out',
  'content.problem_inside':
    'The page index.html is not at the top, but in a folder. Use that folder alone, if it has everything that the page needs.',
  'content.use_folder': 'Use the folder {folder}',
  'content.problem_inside_zip':
    'The page index.html is not at the top of the archive, but in its folder “{what}”. Unpack the archive and drop that folder here, or pack the content of the folder without the folder itself.',
  'content.problem_spelled': 'The first page is called “{what}”. Rename it to index.html, in small letters.',
  'content.problem_missing':
    'There is no page index.html. The page that is shown first needs this name, and it has to be at the top, not in a folder.',
  'content.problem_path':
    'The device does not accept the name “{what}”. Rename it without backslashes, drive letters and invisible characters.',
  'content.problem_long': 'The path “{what}” is too long, or has too many folders. Shorten it.',
  'content.problem_twins':
    '“{what}” exists twice, with small and with capital letters. Rename one of the two.',
  'content.problem_no_zip': 'This is not a zip archive, or it is damaged. Pack it again.',
  'content.problem_encrypted': 'The archive is protected by a password. Pack it again without one.',
  'content.name': 'Name of the bundle',
  'content.name_hint': '1 to 63 small letters, digits and hyphens',
  'content.name_invalid':
    'Use 1 to 63 small letters without accents, digits and hyphens. A hyphen cannot be first or last.',
  'content.name_taken': 'The device has a bundle with this name already. It will be replaced.',
  'content.upload': 'Upload',
  'content.replace': 'Replace',
  'content.other': 'Choose something else',
  'content.replace_title': 'Replace {name}?',
  'content.replace_text':
    'The stored bundle stays until the new one has been checked. After that it cannot be brought back.',
  'content.replace_active': 'It is on the screen. The new one is loaded there as soon as it is stored.',

  'content.uploading': 'Uploading {name}',
  'content.steps': 'Steps of the upload',
  'content.step_packing': 'Pack',
  'content.step_sending': 'Send',
  'content.step_checking': 'Check and store',
  'content.stage_packing': 'Packing in this browser',
  'content.stage_sending': 'Sending to the device',
  'content.stage_checking': 'The device checks the bundle and stores it',
  'content.amount': '{done} of {total}',
  'content.speed': '{size}/s',
  'content.left': '{time} left',
  'content.goes_on': 'Other views can be opened meanwhile. Keep this page of the browser open.',
  'content.stored': '{name} is stored on the device',
  'content.cancelled': 'Cancelled. Nothing was stored.',
  'content.no_space':
    'It needs {needed}, and only {free} are free. Delete bundles that are not needed, then try again.',
  'content.lost': 'The device was restarted before the bundle was stored. Upload it again.',

  'content.list': 'Bundles on the device',
  'content.empty_do':
    'Drop a folder or a zip archive above. It is stored on the device, and shown without a network.',
  'content.taken_one': '{count} bundle, {size}',
  'content.taken_other': '{count} bundles, {size}',
  'content.boots': 'Starts at boot',
  'content.boot': 'Start at boot',
  'content.unboot': 'Do not start at boot',
  'content.boot_resumes':
    'The device first tries to show what was shown last, because the setting display.resume_on_boot is on.',
  'content.boot_missing': 'The bundle {name} is to start at boot, but the device does not have it.',
  'content.boot_missing_do':
    'The waiting page is shown instead. Upload a bundle with this name, or remove the setting.',
  'content.checksum': 'Checksum (SHA-256)',
  'content.check': 'Check',
  'content.whole': 'Undamaged',
  'content.damaged': 'Damaged',
  'content.damaged_do': 'Upload it again, or delete it.',
  'content.delete': 'Delete',
  'content.deleted': '{name} was deleted',
  'content.delete_title': 'Delete {name}?',
  'content.delete_text':
    'It is removed from the device and cannot be brought back. What its page has stored in the browser of the device is kept.',
  'content.delete_boot': 'It starts at boot. Without it, the device shows the waiting page instead.',
  'content.delete_active': 'It is on the screen, so it cannot be deleted. Show something else first.',
};
